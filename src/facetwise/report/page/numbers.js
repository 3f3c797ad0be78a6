// Arithmetic over many numbers. (Spreading them into Math.max fails from 100,000 on.)

function largest(numbers) {
  let most = -Infinity;
  for (const number of numbers) if (number > most) most = number;
  return most;
}

function least(numbers) {
  let smallest = Infinity;
  for (const number of numbers) if (number < smallest) smallest = number;
  return smallest;
}

// What a full bar stands for: never 0, and unmoved by what is not a number.
function extent(numbers) {
  return Math.max(0, largest(Array.from(numbers, Math.abs))) || 1;
}

function norm(numbers) {
  let sum = 0;
  for (const number of numbers) sum += number * number;
  return Math.sqrt(sum);
}
