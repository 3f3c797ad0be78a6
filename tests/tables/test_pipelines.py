"""Models trained on named columns are explained exactly, in those columns' units."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import facetwise as fw
from facetwise import ModelError

N = 300
MOVED = ["age", "income", "children"]
CITIES = ["Oslo", "Rome", "Bern"]


def applicants(library, single=False):
    """Rows with whole numbers, numbers of very different size, and text."""
    rng = np.random.default_rng(0)
    income = rng.lognormal(10.0, 0.5, N)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, N),
            "city": rng.choice(CITIES, N),
            "income": income.astype(np.float32) if single else income,
            "children": rng.integers(0, 4, N),
        }
    )
    if library is pl:
        return pl.DataFrame({name: frame[name].to_list() for name in frame.columns})
    return frame


def outcome(frame):
    """Who of them was accepted, 0 or 1, and who was sent for review, 2."""
    rng = np.random.default_rng(1)
    age, income = np.asarray(frame["age"]), np.asarray(frame["income"])
    score = income / 2e4 + np.abs(age - 50) / 20 + rng.normal(0.0, 0.7, N)
    return np.digitize(score, [1.7, 2.8])


def encoder():
    """What stands before the model: one-hot text, numbers as they are."""
    one_hot = OneHotEncoder(sparse_output=False)
    return make_column_transformer((one_hot, ["city"]), remainder="passthrough")


def logistic():
    """A multinomial model, linear everywhere."""
    return make_pipeline(encoder(), StandardScaler(), LogisticRegression(max_iter=500))


def network():
    """Two hidden layers of ReLU units."""
    layers = MLPClassifier([12, 6], random_state=0, learning_rate_init=0.01, tol=1e-3)
    return make_pipeline(encoder(), StandardScaler(), layers.set_params(max_iter=1000))


def weights(pipe, frame, i):
    """True weights (C, 3) of the logits of row i in the moved columns, by hand."""
    encode, scale, model = pipe
    z = scale.transform(encode.transform(frame[i : i + 1]))
    if isinstance(model, LogisticRegression):
        W = model.coef_
    else:
        W, layers = (
            np.eye(z.shape[1]),
            list(zip(model.coefs_, model.intercepts_, strict=True)),
        )
        for coefs, intercepts in layers[:-1]:
            z = z @ coefs + intercepts
            W = (W @ coefs) * (z[0] > 0)
            z = np.maximum(z, 0.0)
        W = (W @ layers[-1][0]).T
    places = [
        list(encode.get_feature_names_out()).index(f"remainder__{m}") for m in MOVED
    ]
    return W[:, places] / scale.scale_[places]


def within(explanation, pipe, frame, target, versus):
    """Whether every moved column's weight is within its bound of the truth."""
    places = [explanation.feature_names.index(name) for name in MOVED]
    truth = [weights(pipe, frame, i) for i in range(len(frame))]
    error = explanation.values[:, places] - [W[target] - W[versus] for W in truth]
    return (np.abs(error) <= explanation.error_bound[:, places]).all()


@pytest.mark.parametrize("library", [pd, pl])
@pytest.mark.parametrize("make", [logistic, network])
def test_pipelines(library, make):
    """The gradient of a pipeline, in raw units, comes back without a warning."""
    frame = applicants(library)
    pipe = make().fit(frame, outcome(frame))
    rows = frame[:6]
    for model in [pipe, pipe.predict_proba]:
        domain = fw.Domain(frozen=["city"])
        explainer = fw.Explainer(model, target=2, versus=0, domain=domain, seed=0)
        explanation = explainer(rows)
        assert explanation.certified.all()
        assert explanation.feature_names == ("age", "city", "income", "children")
        assert np.isnan(explanation.values[:, 1]).all()
        assert within(explanation, pipe, rows, 2, 0)


def test_typical_rows_limit_the_probes():
    """Limits of the training rows hold for all that the pipeline is asked."""
    frame = applicants(pd)
    pipe = network().fit(frame, outcome(frame))
    asked = []

    def service(rows):
        asked.append(rows)
        return pipe.predict_proba(rows)

    domain = fw.Domain.from_data(frame, frozen=["city"])
    explainer = fw.Explainer(service, target=2, versus=0, domain=domain, seed=0)
    explanation = explainer(frame[:20])
    whole = pd.concat(asked)
    for name in MOVED:
        assert whole[name].between(frame[name].min(), frame[name].max()).all()
    sure = explanation.certified
    assert sure.mean() >= 0.5
    assert within(explanation[sure], pipe, frame[:20][sure], 2, 0)


def test_single_precision_columns():
    """A pipeline that was trained on a 32-bit column is sent one."""
    frame = applicants(pd, single=True)
    pipe = logistic().fit(frame, outcome(frame))
    types = set()

    def service(rows):
        types.add(tuple(map(str, rows[MOVED].dtypes)))
        return pipe.predict_proba(rows)

    domain = fw.Domain(frozen=["city"])
    explainer = fw.Explainer(service, target=2, versus=0, domain=domain, seed=0)
    explanation = explainer(frame[:6])
    assert types == {("float64", "float32", "float64")}
    assert explanation.certified.all()
    assert within(explanation, pipe, frame[:6], 2, 0)


def test_regressors():
    """A regressor's slope comes back through its scaler."""
    frame = applicants(pd)[MOVED]
    target = np.asarray(frame["income"] / 1e4 + np.abs(frame["age"] - 50) / 10)
    model = MLPRegressor(hidden_layer_sizes=[8], max_iter=1000, random_state=0)
    model.set_params(learning_rate_init=0.01)
    pipe = make_pipeline(StandardScaler(), model).fit(frame, target)
    explanation = fw.Explainer(pipe, seed=0)(frame[:5])
    assert explanation.meta["response"] == "regression"
    assert explanation.certified.all()
    scale, layers = pipe[0].scale_, pipe[1]
    on = pipe[0].transform(frame[:5]) @ layers.coefs_[0] + layers.intercepts_[0] > 0
    truth = ((on * layers.coefs_[1].T) @ layers.coefs_[0].T) / scale
    assert (np.abs(explanation.values - truth) <= explanation.error_bound).all()


def test_categories_compared():
    """The same row with each category tells what a category is worth, and where."""
    frame = applicants(pd)
    pipe = network().fit(frame, outcome(frame))
    each = pd.concat([frame[:1].assign(city=city) for city in CITIES])
    domain = fw.Domain(frozen=["city"])
    explainer = fw.Explainer(pipe, target=2, versus=0, domain=domain, seed=0)
    explanation = explainer(each)
    effects = np.nansum(explanation.values * np.nan_to_num(explanation.data), axis=1)
    log_odds = explanation.base_values + effects
    probabilities = pipe.predict_proba(each)
    truth = np.log(probabilities[:, 2] / probabilities[:, 0])
    assert np.allclose(log_odds, truth, rtol=0, atol=1e-8)
    assert within(explanation, pipe, each, 2, 0)


def test_the_encoder_outside():
    """The part behind the encoder is explained in columns that all are numbers."""
    frame = applicants(pd)
    pipe = make_pipeline(
        encoder().set_output(transform="pandas"),
        StandardScaler(),
        LogisticRegression(max_iter=500),
    ).fit(frame, outcome(frame))
    encoded = pipe[0].transform(frame[:4])
    explanation = fw.Explainer(pipe[1:], target=2, versus=0, seed=0)(encoded)
    assert explanation.certified.all()
    assert explanation.feature_names == tuple(pipe[0].get_feature_names_out())
    W = pipe[2].coef_ / pipe[1].scale_
    assert (np.abs(explanation.values - (W[2] - W[0])) <= explanation.error_bound).all()


def test_whole_numbers_that_are_categories():
    """An encoder that knows no fractions says so, and freezing the column helps."""
    frame = applicants(pd)
    encode = make_column_transformer(
        (OneHotEncoder(), ["city", "children"]), remainder="passthrough"
    )
    pipe = make_pipeline(encode, StandardScaler(with_mean=False), LogisticRegression())
    pipe.fit(frame, outcome(frame))
    with pytest.raises(ModelError, match="unknown categories"):
        fw.Explainer(pipe, domain=fw.Domain(frozen=["city"]), seed=0)(frame[:1])
    domain = fw.Domain(frozen=["city", "children"])
    assert fw.Explainer(pipe, domain=domain, seed=0)(frame[:3]).certified.all()
