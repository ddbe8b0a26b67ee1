"""What must occur in a text for a finder to be asked: constants only, read by every hook."""

from __future__ import annotations

STEMS = (
    *("pass", "pw", "secret", "token", "key", "cred", "auth", "cookie", "bearer", "jwt", "otp"),
    *("psk", "sig", "sess", "sid", "code", "mnemonic", "phrase"),
)
"""Parts of names whose values are secret."""

URLS = ("://",)

PHRASES = (
    *("bearer ", "basic ", "identified ", "password ", "convertto-securestring", "pgpass"),
    *("requirepass", "masterauth", "http-basic"),
)
"""Beginnings of sentences that end in a secret."""

SETTERS = (
    "set ",
    "setenv ",
    "setx ",
    "config ",
    "env ",
    "--arg ",
    " is ",
    " was ",
    "sed ",
    "perl ",
)
"""Words that are followed by a name and its value."""

STREAMS = (
    "-stdin",
    "--with-token",
    "passwd",
    "sudo ",
    "secret",
    "--passphrase-fd",
    "pass insert",
    "cryptsetup",
    "kinit",
    "su ",
    "pass stdin",
    "env add",
    " login",
    "vault ",
)
"""Programs that read a secret from a pipe."""

SURE = {
    "ghp_": 16, "gho_": 16, "ghu_": 16, "ghs_": 16, "ghr_": 16, "github_pat_": 16,
    "glpat-": 12, "gldt-": 12, "glrt-": 12, "glcbt-": 12, "glptt-": 12, "glft-": 12,
    "glsoat-": 12, "glagent-": 12, "gloas-": 12, "glimt-": 12,
    "xoxb-": 8, "xoxp-": 8, "xoxa-": 8, "xoxe-": 8, "xoxe.": 8, "xoxo-": 8, "xoxr-": 8, "xoxs-": 8,
    "xoxc-": 8, "xoxd-": 8, "xapp-": 8,
    "sk_live_": 8, "rk_live_": 8, "sk_test_": 8, "rk_test_": 8, "whsec_": 12,
    "npm_": 24, "pypi-AgE": 12, "sk-ant-": 8, "sk-proj-": 8, "sk-svcacct-": 8, "sk-or-": 8,
    "AIza": 24, "ya29.": 16, "GOCSPX-": 12, "8Q~": 20, "dop_v1_": 16, "doo_v1_": 16, "dor_v1_": 16,
    "shpat_": 16, "shpss_": 16, "shpca_": 16, "shppa_": 16, "sq0atp-": 12, "sq0csp-": 12,
    "hvs.": 12, "hvb.": 12, "hvr.": 12, ".atlasv1.": 16, "dapi": 32, "lin_api_": 16, "ntn_": 24,
    "ATATT3": 16, "ATBB": 24, "ATCTT3": 16, "pscale_tkn_": 12, "pscale_pw_": 12, "sbp_": 24,
    "dp.pt.": 16, "dp.st.": 16, "dp.sa.": 16, "glc_": 24, "glsa_": 16, "NRAK-": 16, "sntrys_": 16,
    "sntryu_": 16, "AGE-SECRET-KEY-1": 16, "PMAK-": 16, "rubygems_": 24, "dckr_pat_": 12,
    "dckr_oat_": 12, "gsk_": 24, "pplx-": 24, "figd_": 16, "nfp_": 24, "CCIPAT_": 16, "tskey-": 12,
    "HRKU-": 16, "AKCp": 32, "pul-": 32, "lsv2_pt_": 16, "r8_": 24, "hf_": 24, "xai-": 24,
    "fm2_": 24, "FlyV1": 16, "EAACEdEose0cBA": 8, ":AA": 30, "phx_": 24, "rnd_": 24,
    "secret_": 40, "api_live_": 16, "LTAI": 12,
}  # fmt: skip
"""Prefixes, and how many characters of a token must follow."""

WORDS = {
    "AKIA": 12, "ASIA": 12, "ABIA": 12, "ACCA": 12, "AROA": 16, "AIDA": 16, "sk-": 20, "SG.": 16,
    "key-": 32, "eyJ": 16, "LS0tLS1CRUdJTi": 16, "1//0": 20, "sl.": 40, "s.": 24,
}  # fmt: skip
"""Prefixes that are common inside of words, and count only where a word starts."""

PATHS = {
    "hooks.slack.com/services/": 8, "hooks.slack.com/workflows/": 8, "/api/webhooks/": 16,
    ".webhook.office.com/webhookb2/": 8, "$2a$": 20, "$2b$": 20, "$2y$": 20, "$5$": 20, "$6$": 20,
    "$y$": 20, "$7$": 20, "$argon2": 20, "$apr1$": 16, "{SSHA}": 16, "AQICAH": 16,
}  # fmt: skip
"""Prefixes that may be followed by slashes and the like."""

TOKENS = (*SURE, *WORDS, *PATHS, "PRIVATE", "Private-Lines")
