"""Which programs take a secret in which options and arguments."""

from __future__ import annotations

OPTIONS = (
    ("curl", "", "-u --user -U --proxy-user", ":"),
    ("curl", "", "-b --cookie", "="),
    ("curl", "", "-E --cert --proxy-cert", ":"),
    ("curl", "", "-x --proxy --preproxy", "@"),
    ("http https xh xhs", "", "-a --auth", ":"),
    ("lftp", "", "-u --user", ","),
    ("smbclient rpcclient smbget net smbtree", "", "-U --user", "%"),
    ("docker podman nerdctl buildah skopeo crane oc az helm cf ibmcloud", "login", "-p", ""),
    ("twine poetry", "", "-p", ""),
    ("mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlsh", "", "-p*", ""),
    ("mysqlpump mariadb mariadb-dump mariadb-admin mycli 7z 7za 7zz 7zr rar unrar", "", "-p*", ""),
    ("rar unrar", "", "-hp*", ""),
    ("mongo mongosh mongodump mongorestore mongoimport mongoexport mongostat", "", "-p", ""),
    ("psexec psexec64 influx", "", "-p", ""),
    ("schtasks", "", "/rp", ""),
    ("winrs", "", "-p:*", ""),
    ("nuget dotnet", "push", "-k", ""),
    ("sshpass cqlsh usermod useradd rdesktop", "", "-p", ""),
    ("sqlcmd bcp tsql freebcp mosquitto_pub mosquitto_sub ipmitool", "", "-P", ""),
    ("zip unzip zipcloak ssh-keygen", "", "-P", ""),
    ("ssh-keygen", "", "-N", ""),
    ("redis-cli", "", "-a", ""),
    ("ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd ldapcompare", "", "-w", ""),
    ("ldappasswd", "", "-s", ""),
    ("snmpget snmpwalk snmpset snmpbulkwalk", "", "-A -X -c", ""),
    ("openssl", "enc", "-k", ""),
    ("doctl", "auth", "-t", ""),
    ("gh", "secret", "-b --body", ""),
    ("aws", "put-parameter", "--value", ""),
    ("az", "secret", "--value", ""),
    ("xfreerdp xfreerdp3 wfreerdp", "", "/p:*", ""),
)
"""Programs, a word that must come before, options, and what separates the secret from a user.

An option with a star has its value attached; the others may have it either way. The separator
`@` stands for `user:secret@host`.
"""

ARGUMENTS = (
    ("cargo", "login", (0,), ""),
    ("ansible-vault", "encrypt_string", (0,), ""),
    ("nuget", "setapikey", (0,), ""),
    ("rabbitmqctl", "add_user", (1,), ""),
    ("rabbitmqctl", "change_password", (1,), ""),
    ("openssl", "passwd", (0,), ""),
    ("mkpasswd", "mkpasswd", (0, 1), ""),
    ("vault", "login", (0,), ""),
    ("snyk", "auth", (0,), ""),
    ("ngrok", "authtoken", (0,), ""),
    ("ngrok", "add-authtoken", (0,), ""),
    ("net", "user", (1,), ""),
    ("wpa_passphrase", "wpa_passphrase", (1,), ""),
    ("mc", "set", (2, 3), ""),
    ("mc", "add", (2, 3), ""),
    ("mysqladmin", "password", (0,), ""),
    ("redis-cli", "auth", (0, 1), ""),
    ("rclone", "obscure", (0,), ""),
    ("sqlplus", "sqlplus", (0,), "/"),
    ("htpasswd", "-b", (1, 2), ""),
    ("htpasswd", "-nb", (1,), ""),
    ("pulumi", "--secret", (1,), ""),
    ("vault", "put", (1, 2, 3, 4, 5, 6, 7, 8), "="),
    ("fly flyctl doppler supabase", "secrets", (1, 2, 3, 4, 5, 6, 7, 8), "="),
)
"""Programs, the word after which to count, which arguments are secret, and the separator."""


_SPACES = {ord(char): " " for char in "\t\n\\\"'"}


def are_named(low: str) -> bool:
    """Tell whether a text, in lower case, may hold a command of one of these programs."""
    low = low.translate(_SPACES).replace(".exe", "")
    return any(
        row[1].lstrip("-") in low and any(f"{name} " in low for name in row[0].split())
        for row in (*OPTIONS, *ARGUMENTS)
    )
