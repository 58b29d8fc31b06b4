/** Text for comparisons: case, white space and ways to write a letter do not count. */
export const normalized = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();
