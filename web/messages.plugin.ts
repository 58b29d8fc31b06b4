import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const FOLDER = join(import.meta.dirname, 'src/lib/kit/i18n/messages');
const MODULE = 'virtual:messages';
const LOCALES = ['en', 'es', 'ca', 'eu'];
const DEV_PATH = /^\/@messages\/(en|es|ca|eu)\.json/;

const filesOf = (locale: string): string[] => readdirSync(FOLDER).filter((name) => name.endsWith(`.${locale}.json`));

const merged = (locale: string): string =>
  JSON.stringify(
    Object.assign({}, ...filesOf(locale).map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as object)),
  );

/**
 * `virtual:messages` maps every locale to the address of one JSON file that holds the texts of all features: texts are
 * fetched as data, for the reader's language only, and stay out of the scripts.
 */
export function messages(): Plugin {
  let building = false;
  return {
    name: 'bellwether-messages',
    configResolved: ({ command }) => {
      building = command === 'build';
    },
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : null),
    load(id) {
      if (id !== `\0${MODULE}`) return null;
      const urls = LOCALES.map((locale) => {
        for (const name of filesOf(locale)) this.addWatchFile(join(FOLDER, name));
        if (!building) return `${locale}: '/@messages/${locale}.json'`;
        const reference = this.emitFile({ type: 'asset', name: `messages.${locale}.json`, source: merged(locale) });
        return `${locale}: import.meta.ROLLUP_FILE_URL_${reference}`;
      });
      return `export default { ${urls.join(', ')} };`;
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const locale = DEV_PATH.exec(request.url ?? '')?.[1];
        if (locale === undefined) return next();
        response.setHeader('Content-Type', 'application/json');
        response.end(merged(locale));
      });
    },
  };
}
