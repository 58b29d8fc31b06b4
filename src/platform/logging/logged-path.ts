/** The last part of a sign-in link is a credential. Proxies may send an absolute URL (RFC 9112 §3.2.2). */
const SIGN_IN_LINK = /(\/sign-in\/).+/i;

/** A path without credentials, and without its query, which may hold typed text. */
export const loggedPath = (url: string): string => (url.split('?', 1)[0] ?? '').replace(SIGN_IN_LINK, '$1…');
