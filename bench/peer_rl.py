"""PyTorch twins of `bex bench rl`: one step of the world with everything that is learned in it, and one pretraining step.

    /usr/bin/python3 bench/peer_rl.py online/rnd|online/explore|online/supe|online/hilp|pretrain/supe|pretrain/hilp THREADS

Prints {"seconds"} as JSON: the best of a few; with one thread, of processor time. THREADS 0: PyTorch's own choice. Full sizes for AntMaze (docs/agents/rnd.md),
eager, the ten critics as one batched product (baddbmm), inputs there already, PyTorch's own norm, GRU and Adam.
"""
import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional

WHAT, METHOD = sys.argv[1].split("/")
if int(sys.argv[2]):
    torch.set_num_threads(int(sys.argv[2]))
torch.manual_seed(0)
O, A, B, E, UPDATES, W = 29, 8, 256, 10, 20, 256


def best(work, rounds):
    work()
    times, clock = [], time.process_time if sys.argv[2] == "1" else time.perf_counter
    for _ in range(rounds):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


class Critics(nn.Module):
    def __init__(self, x):
        super().__init__()
        sizes = [x, W, W, W, 1]
        self.w = nn.ParameterList(nn.Parameter(torch.randn(E, i, o) / i ** 0.5) for i, o in zip(sizes, sizes[1:]))
        self.b = nn.ParameterList(nn.Parameter(torch.zeros(E, 1, o)) for o in sizes[1:])
        self.g = nn.ParameterList(nn.Parameter(torch.ones(E, 1, W)) for _ in range(3))
        self.c = nn.ParameterList(nn.Parameter(torch.zeros(E, 1, W)) for _ in range(3))

    def forward(self, x, member=None):
        pick = slice(None) if member is None else slice(member, member + 1)
        x = x[None].expand(E if member is None else 1, -1, -1)
        for i in range(4):
            x = torch.baddbmm(self.b[i][pick], x, self.w[i][pick])
            if i < 3:
                x = functional.layer_norm(x, (W,), eps=1e-6) * self.g[i][pick] + self.c[i][pick]
                x = torch.relu(x)
        return x[..., 0]


def mlp(i, o, norm=False, width=W, act=nn.ReLU):
    parts = []
    for k in (i, width, width):
        parts += [nn.Linear(k, width), act()] + ([nn.LayerNorm(width, eps=1e-6)] if norm else [])
    return nn.Sequential(*parts, nn.Linear(width, o))


def online():
    u = {"rnd": A, "explore": A, "supe": 8, "hilp": 32}[METHOD]
    data, H = METHOD != "rnd", 4 if METHOD in ("supe", "hilp") else 1
    critics, target, actor = Critics(O + u), Critics(O + u), mlp(O, 2 * u)
    f, f_bar, r_hat, m_hat = mlp(O + u, W), mlp(O + u, W), mlp(O + u, 1), mlp(O + u, 1)
    log_alpha = torch.zeros((), requires_grad=True)
    adam = [torch.optim.Adam(p, 3e-4) for p in (critics.parameters(), actor.parameters(), f.parameters(),
                                               [*r_hat.parameters(), *m_hat.parameters()], [log_alpha])]
    n = UPDATES * B
    s, s2, a = torch.randn(n, O), torch.randn(n, O), torch.rand(n, u) * 2 - 1
    reward, mask = torch.randn(n), torch.ones(n)

    def act(x):
        mean, log_std = actor(x).chunk(2, -1)
        log_std = log_std.clamp(-20, 2)
        z = mean + log_std.exp() * torch.randn_like(mean)
        logp = (-0.5 * ((z - mean) / log_std.exp()) ** 2 - log_std - 0.919 -
                2 * (0.693 - z - functional.softplus(-2 * z))).sum(-1)
        return torch.tanh(z), logp

    def step(i, loss):
        adam[i].zero_grad(set_to_none=True)
        loss.backward()
        adam[i].step()

    def update():
        x = torch.cat([s, a], -1)
        with torch.no_grad():
            r = reward + ((f(x) - f_bar(x)) ** 2).mean(-1)
            if data:
                torch.sigmoid(m_hat(x[n // 2:]))
        for k in range(UPDATES):
            rows = slice(k * B, (k + 1) * B)
            with torch.no_grad():
                y = r[rows] + 0.99 * mask[rows] * target(torch.cat([s2[rows], act(s2[rows])[0]], -1), 3)[0]
            step(0, ((critics(x[rows]) - y) ** 2).mean())
            with torch.no_grad():
                torch._foreach_mul_(list(target.parameters()), 0.995)
                torch._foreach_add_(list(target.parameters()), list(critics.parameters()), alpha=0.005)
        for p in critics.parameters():
            p.requires_grad_(False)
        b, logp = act(s[-B:])
        step(1, (log_alpha.exp().detach() * logp - critics(torch.cat([s[-B:], b], -1)).mean(0)).mean())
        for p in critics.parameters():
            p.requires_grad_(True)
        step(4, log_alpha.exp() * (-logp.mean().detach() + 4))

    def decision():
        for _ in range(H):
            update()
        x = torch.cat([s, a], -1)
        for k in range(UPDATES if data else 0):
            rows = slice(k * B // 2, (k + 1) * B // 2)
            step(3, ((r_hat(x[rows])[:, 0] - reward[rows]) ** 2).mean() +
                 functional.binary_cross_entropy_with_logits(m_hat(x[rows])[:, 0], mask[rows]))
        step(2, ((f(x[:1]) - f_bar(x[:1]).detach()) ** 2).mean())

    return best(decision, 2) / H


def pretrain_supe():
    Z, T, H = 8, 4, 256
    state, gru = mlp(O, H)[:4], nn.GRU(H + A, H, 2, batch_first=True, bidirectional=True)
    out, prior, decoder = nn.Linear(T * 2 * H, 2 * Z), nn.Sequential(*mlp(O, 2 * Z)[:4], nn.Linear(H, 2 * Z)), \
        nn.Sequential(*mlp(O + Z, 2 * A)[:4], nn.Linear(H, 2 * A))
    adam = torch.optim.Adam([p for m in (state, gru, out, prior, decoder) for p in m.parameters()], 3e-4)
    s, a = torch.randn(B, T, O), torch.rand(B, T, A)

    def work():
        m, v = out(gru(torch.cat([state(s), a], -1))[0].flatten(1)).chunk(2, -1)
        z = m + torch.exp(v / 2) * torch.randn_like(m)
        mean, std = decoder(torch.cat([s, z[:, None].expand(-1, T, -1)], -1)).chunk(2, -1)
        std = std.clamp(-20, 2)
        pm, ps = prior(s[:, 0]).chunk(2, -1)
        ps = ps.clamp(-20, 2)
        kl = (ps - v / 2 + ((v.exp() + (m - pm) ** 2) / (2 * (2 * ps).exp())) - 0.5).sum(-1).mean()
        loss = (0.5 * ((a - mean) / std.exp()) ** 2 + std).sum(-1).mean() + 0.1 * kl
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()

    return best(work, 6)


def pretrain_hilp():
    Z, n = 32, 1024

    def tower(i, o):
        return mlp(i, o, True, 512, lambda: nn.GELU(approximate="tanh"))
    nets = nn.ModuleDict({"phi1": tower(O, Z), "phi2": tower(O, Z), "value": tower(O + Z, 1),
                          "q1": tower(O + Z + A, 1), "q2": tower(O + Z + A, 1), "actor": mlp(O + Z, A, width=512)})
    log_std = nn.Parameter(torch.zeros(A))
    copies = {k: tower(O if k[0] == "p" else O + Z + A, Z if k[0] == "p" else 1) for k in ("phi1", "phi2", "q1", "q2")}
    adam = torch.optim.Adam([*nets.parameters(), log_std], 3e-4)
    s, s2, g, a = torch.randn(n, O), torch.randn(n, O), torch.randn(n, O), torch.rand(n, A)
    z = functional.normalize(torch.randn(n, Z), dim=-1)

    def far(x, y):
        return -torch.sqrt(((x - y) ** 2).sum(-1).clamp(min=1e-6))

    def expectile(sign, x, tau):
        return (torch.where(sign < 0, 1 - tau, tau) * x ** 2).mean()

    def work():
        sza, sz = torch.cat([s, z, a], -1), torch.cat([s, z], -1)
        with torch.no_grad():
            places = [copies[k](torch.cat([s2, g, s])).chunk(3) for k in ("phi1", "phi2")]
            after, now = [far(p[0], p[1]) for p in places], [far(p[2], p[1]) for p in places]
            adv = -1 + 0.99 * torch.minimum(*after) - (now[0] + now[1]) / 2
            rho = ((nets["phi1"](s2) - nets["phi1"](s)) * z).sum(-1)
            least = torch.minimum(copies["q1"](sza), copies["q2"](sza))[:, 0]
            y = rho + 0.99 * nets["value"](torch.cat([s2, z], -1))[:, 0]
        loss = 0
        for i, k in enumerate(("phi1", "phi2")):
            p, q = nets[k](torch.cat([s, g])).chunk(2)
            loss = loss + expectile(adv, -1 + 0.99 * after[i] - far(p, q), 0.95)
        v = nets["value"](sz)[:, 0]
        loss = loss + expectile((least - v).detach(), least - v, 0.9)
        loss = loss + sum(((nets[k](sza)[:, 0] - y) ** 2).mean() for k in ("q1", "q2"))
        logp = (-0.5 * ((a - nets["actor"](sz)) / log_std.exp()) ** 2 - log_std).sum(-1)
        loss = loss - (torch.exp(10 * (least - v.detach())).clamp(max=100) * logp).mean()
        adam.zero_grad(set_to_none=True)
        loss.backward()
        with torch.no_grad():
            for k, c in copies.items():
                torch._foreach_mul_(list(c.parameters()), 0.995)
                torch._foreach_add_(list(c.parameters()), list(nets[k].parameters()), alpha=0.005)
        adam.step()

    return best(work, 4)


seconds = online() if WHAT == "online" else pretrain_supe() if METHOD == "supe" else pretrain_hilp()
print(json.dumps({"seconds": seconds}))
