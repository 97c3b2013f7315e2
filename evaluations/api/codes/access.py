"""Accounts, invitations, members and signing in."""

CODES = {
    "account_disabled": (
        "The account is disabled.",
        "Ask an administrator of the site.",
    ),
    "key_address_not_allowed": (
        "The key is limited to addresses, and the call came from another one.",
        "Call from an allowed address, or make a new key. Behind a proxy, the operator sets EVALSITE_TRUSTED_PROXIES.",
    ),
    "authenticator_exists": (
        "The account has an authenticator app already.",
        "Remove the app on the page Account first.",
    ),
    "already_member": (
        "The person who accepts the invitation is already in the project.",
        "No action needed: the project is already in the person's list.",
    ),
    "email_shared": (
        "Several accounts have the e-mail address of the person who signs in.",
        "Ask an administrator to remove the address from all accounts but one.",
    ),
    "invitation_for_another": (
        "The invitation is for another e-mail address.",
        "Sign in with the account of that address, or ask for your own invitation.",
    ),
    "invitation_gone": (
        "The invitation was used or withdrawn, or it has expired.",
        "Ask the sender for a new one.",
    ),
    "last_admin": (
        "A project needs at least one administrator.",
        "Make someone else an administrator first.",
    ),
    "no_second_factor": (
        "Recovery codes replace a second factor, and the account has none.",
        "Add an authenticator app or a passkey first.",
    ),
    "not_invited": (
        "The person who signs in by OpenID Connect has no account and no invitation.",
        "Ask an administrator for an invitation and open its link.",
    ),
    "oidc_failed": (
        "The OpenID Connect provider did not sign the person in.",
        "Try again. The operator finds the cause in the web log and at the provider.",
    ),
    "own_account": (
        "You cannot disable your own account.",
        "Ask another administrator.",
    ),
    "passkeys_need_https": (
        "Browsers bind passkeys to an https address, and the site has none.",
        "Use an authenticator app, or have the operator set EVALSITE_URL with https.",
    ),
}
