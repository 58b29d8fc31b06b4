/** The endpoint for an address as people enter it: with or without the version and the path. */
export function endpointOf(address: string, path: string): string {
  const url = new URL(address);
  const given = url.pathname.replace(/(?<!\/)\/+$/, '');
  const [first = ''] = path.split('/');
  if (given.endsWith('/rerank')) url.pathname = given;
  else url.pathname = given.endsWith(`/${first}`) ? given + path.slice(first.length) : `${given}/${path}`;
  return url.href;
}
