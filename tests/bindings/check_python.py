"""The package against the library: run by test_python.c as  check_python.py BINDINGS BE BC SCRATCH REFERENCE CHOOSER SEEING
where REFERENCE holds the actions (episodes, steps, action) that the C interface gave, float32, and behind them those of
an episode of SEEING, a policy with two cameras."""
import sys
import threading

sys.path.insert(0, sys.argv[1])
import bex  # noqa: E402
import numpy as np  # noqa: E402

BE, BC, SCRATCH, REFERENCE, CHOOSER, SEEING = sys.argv[2:8]
EPISODES, STEPS = 2, 9


def state(e, t, n=4):
    i = np.arange(n)
    return (e + 1) * 0.3 + 0.1 * t * (i + 1) - 0.05 * i * e


def play(robot, e):
    robot.begin()
    actions = [robot.act(state(e, t)) for t in range(STEPS)]
    robot.end()
    return np.array(actions)


def refuses(kind, part, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except kind as error:
        assert part in str(error), f"'{error}' lacks '{part}'"
        return
    raise AssertionError(f"no error '{part}'")


def contract():
    with bex.Policy(BE) as p:
        c = p.contract
        assert (c.state, c.action, c.chunk, c.history, c.agent) == (4, 2, 4, 6, "be"), c
        assert c.state_mean.shape == c.state_std.shape == (4,) and (c.state_std > 0).all()
        assert c.action_low.shape == (2,) and (c.action_low < c.action_high).all()
        assert (c.exp, c.history_rule, c.guidance, c.noise, c.act, c.denoising_steps) == ("q:0.95", "uniform", 1, 0, 4, 4)
        assert (c.candidates, c.commit, c.temperature) == (1, 0, 1)
        assert (c.cameras, c.image_height, c.image_width) == (0, 0, 0)
        assert c.has_coverage is True and c.parameters > 1000
    assert len(bex.version().split(".")) == 3


def same_as_c():
    want = np.fromfile(REFERENCE, dtype=np.float32, count=EPISODES * STEPS * 2).reshape(EPISODES, STEPS, 2)
    with bex.Policy(BE) as p, p.session(seed=7, exp="q:0.5", guidance=2) as robot:
        for e in range(EPISODES):
            got = play(robot, e)
            assert got.dtype == np.float32 and (got == want[e]).all(), (e, got - want[e])
        assert robot.history_states == EPISODES * STEPS
        t = robot.latency
        assert t.calls == EPISODES * STEPS and t.plans == 6 and 0 < t.p50 <= t.p99 and t.missed == 0
        c = p.contract
        assert (got >= c.action_low).all() and (got <= c.action_high).all()


def chunks_and_settings():
    with bex.Policy(BE) as p, p.session(seed=7) as a, p.session(seed=7) as b:
        a.begin()
        chunk = a.plan(state(0, 0))
        assert chunk.shape == (4, 2)
        assert (chunk == play(b, 0)[:4]).all()
        b.set_exp("q:0.05")
        b.set_seed(7)
        b.clear_history()
        assert (chunk != play(b, 0)[:4]).any()
        b.set_task(0)
        with p.session(seed=7, temperature=1) as c, p.session(seed=7, temperature=0.5) as d:
            assert (chunk == play(c, 0)[:4]).all() and (chunk != play(d, 0)[:4]).any()


def memory():
    path = SCRATCH + "-history"
    with bex.Policy(BE) as p:
        with p.session(seed=3) as robot:
            play(robot, 0)
            robot.save_history(path)
            want = play(robot, 1)
        with p.session(seed=3) as robot:
            robot.load_history(path)
            assert robot.history_states == STEPS
            assert (play(robot, 1) == want).all()  # the random stream goes on too
            robot.load_history(path)
            robot.set_seed(3)
            again = play(robot, 1)
            assert (again != want).any()
        with p.session(seed=3, history="file:" + path) as robot:
            assert (play(robot, 1) == again).all()
        with p.session(seed=None) as a, p.session(seed=None) as b:
            assert (play(a, 0) != play(b, 0)).any()


def follow():
    with bex.Policy(CHOOSER) as p, p.session(exp=0.9) as robot:
        assert p.contract.state_names == ("x", "y", "vx", "vy") and p.contract.coverage_columns == (0, 1)
        assert p.columns("vy") == [3] and p.contract.farthest == 1000
        assert robot.get("exp") == "q:0.9" and np.isnan(robot.coverage.asked)
        robot.begin()
        for t in range(4):
            robot.plan(state(0, t)) if t == 0 else robot.observe(state(0, t))
        c = robot.coverage
        assert c.steps == 4 and c.candidates == c.proposed == c.possible == 8
        assert c.waypoints.shape == (4, 2) and c.columns == (0, 1) and np.isfinite(c.reached)
        assert abs(c.asked_quantile - 0.9) < 1e-9
        robot.end()
        assert robot.history_states == 4
        refuses(bex.Misuse, "no episode has begun", robot.observe, state(0, 0))
        refuses(bex.Misuse, "(vx) of 4", lambda: (robot.begin(), robot.act([0, 0, 1e9, 0])))
        refuses(bex.Misuse, "no column 'z'", p.columns, "z")


def from_bytes():
    with open(BE, "rb") as f:
        data = f.read()
    with bex.Policy(BE) as p, bex.Policy.from_bytes(bytearray(data)) as q:
        assert p.contract.parameters == q.contract.parameters
        with p.session(seed=2) as a, q.session(seed=2) as b:
            assert (play(a, 0) == play(b, 0)).all()
    refuses(bex.Error, "truncated", bex.Policy.from_bytes, data[:-1])
    refuses(bex.Error, "policy in memory", bex.Policy.from_bytes, b"")


def picture(camera, t, side=20):
    i = np.arange(side * side * 3)
    return (i * 7 + camera * 50 + t * 11).astype(np.uint8).reshape(side, side, 3)


def images():
    want = np.fromfile(REFERENCE, dtype=np.float32)[EPISODES * STEPS * 2:].reshape(STEPS, 2)
    with bex.Policy(SEEING) as p, p.session(seed=7) as robot:
        c = p.contract
        assert (c.state, c.seen, c.cameras, c.images) == (2, 2, 2, "front,wrist"), c
        assert (c.image_height, c.image_width, c.flip) == (16, 16, "none")
        robot.begin()
        for t in range(STEPS):
            front, wrist = picture(0, t), picture(1, t)
            seen = {"wrist": wrist, "front": front} if t % 2 else [front, np.asfortranarray(wrist)]
            got = robot.act(state(0, t, 2), images=seen)
            assert (got == want[t]).all(), (t, got - want[t])
        now, both = state(0, STEPS, 2), [picture(0, 9), picture(1, 9)]
        robot.observe(now, images=both)
        assert robot.plan(now, images=both).shape == (c.chunk, 2)
        refuses(bex.Misuse, "no picture of camera 0", robot.act, now)
        refuses(bex.Misuse, "no picture of camera 0", robot.observe, now)
        refuses(bex.Misuse, "no picture of camera wrist", robot.act, now, {"front": both[0]})
        refuses(bex.Misuse, "the sensors have 1 cameras, the policy expects 2", robot.act, now, both[:1])
        refuses(bex.Misuse, "a picture is uint8", robot.act, now, [b.astype(np.float32) for b in both])
        refuses(bex.Misuse, "a picture is uint8", robot.act, now, [b[:, :, 0] for b in both])
        refuses(bex.Misuse, "all of one size", robot.act, now, [both[0], both[1][:10]])
        refuses(bex.Misuse, "the state has 4 values, the policy expects 2", robot.act, state(0, 0), both)
        robot.end()
        assert robot.history_states == STEPS + 2


def mistakes():
    refuses(bex.Error, "no/such/model", bex.Policy, "no/such/model")
    refuses(bex.Error, "safetensors", bex.Policy, __file__)
    p = bex.Policy(BE)
    refuses(bex.Error, "none of q:", p.session, exp="much")
    refuses(bex.Misuse, "a chunk has 4 actions", p.session, act=9)
    refuses(bex.Misuse, "not a number in", p.session, guidance=-1)
    refuses(bex.Misuse, "not a number in", p.session, guidance=float("nan"))
    refuses(bex.Misuse, "did you mean deploy.candidates?", p.session, candidatse=8)
    robot = p.session()
    robot.set("guidance", 2.5)
    assert robot.get("guidance") == "2.5" and robot.get("history") == "uniform"
    refuses(bex.Misuse, "in [0, 100]", robot.set, "guidance", -1)
    robot.set("guidance", 1)
    refuses(bex.Misuse, "no episode has begun", robot.act, state(0, 0))
    refuses(bex.Misuse, "no episode has begun", robot.end)
    robot.begin()
    refuses(ValueError, "3 values, the policy expects 4", robot.act, [1, 2, 3])
    refuses(bex.Misuse, "observation 1 of 4", robot.act, [0, float("nan"), 0, 0])
    refuses(bex.Error, "no/such", robot.load_history, "no/such")
    refuses(bex.Misuse, "exp", robot.set_exp, "q:7")
    p.close()  # its session goes on
    robot.act(state(0, 0))
    robot.close()
    robot.close()
    refuses(bex.Misuse, "closed", robot.act, state(0, 0))
    refuses(bex.Misuse, "closed", p.session)
    with bex.Policy(BC) as q, q.session() as clone:
        refuses(bex.Misuse, "no history", clone.save_history, "x")
        play(clone, 0)


def threads():
    with bex.Policy(BE) as p:
        alone = [play(p.session(seed=i), 0) for i in range(3)]
        got = [None] * 3

        def work(i):
            got[i] = play(p.session(seed=i), 0)

        workers = [threading.Thread(target=work, args=(i,)) for i in range(3)]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
        assert all((a == g).all() for a, g in zip(alone, got))


for check in (contract, same_as_c, chunks_and_settings, memory, follow, from_bytes, images, mistakes, threads):
    check()
    print("ok", check.__name__)
