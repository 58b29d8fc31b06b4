/** Where links that sign in and answers of the API are: nowhere to be sent to. */
const NO_PAGE = /^\/(?:sign-in|api)\//i;

/** Where to go after signing in: a page of this application; anything else, also what a browser would read as another origin, is the start page. */
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
