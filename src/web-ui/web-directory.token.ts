import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Folder with the built UI. */
export const WEB_DIRECTORY = Symbol('WEB_DIRECTORY');

/** `web/build` of the checkout or image, seen from the sources and from `dist/`. */
export const webDirectory = (): string => {
  const [sources = '', built = ''] = ['../..', '../../..'].map((up) => join(__dirname, up, 'web', 'build'));
  return existsSync(sources) ? sources : built;
};
