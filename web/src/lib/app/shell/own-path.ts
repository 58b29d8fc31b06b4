/** Addresses of links that sign in and of answers of the API: nowhere to be sent to. */
const NO_PAGE = /^\/(?:sign-in|api)\//i;

/**
 * Page to go to after signing in: one of this application; anything else, also what a browser would read as another
 * origin, is the start page.
 */
export function ownPath(wished: string | null): string {
  if (wished === null || !wished.startsWith('/')) return '/';
  try {
    const base = 'http://bellwether.invalid';
    const { origin, pathname, search, hash } = new URL(wished, base);
    const isOurs = origin === base && !pathname.startsWith('//') && !NO_PAGE.test(decodeURIComponent(pathname));
    return isOurs ? pathname + search + hash : '/';
  } catch {
    return '/';
  }
}
