/**
 * Fetches style sheets again that could not be fetched. Vite asks for each once a visit, so a part that is retried would
 * come without its styles.
 */
export async function reloadFailedStyles(): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('head link[rel="stylesheet"]')];
  await Promise.all(links.filter(({ sheet }) => sheet === null).map(reload));
}

const reload = (link: HTMLLinkElement): Promise<void> =>
  new Promise((resolve, reject) => {
    const again = link.cloneNode() as HTMLLinkElement;
    again.addEventListener('load', () => resolve());
    // What `fetch` throws when the service cannot be reached: the page words it as such.
    again.addEventListener('error', () => reject(new TypeError('Failed to fetch')));
    link.replaceWith(again);
  });
