import { randomBytes } from 'node:crypto';
import type { Response } from 'express';
import type { PageLanguage } from './page-texts';

/** A small page of its own, without the web UI. `body` is HTML. */
export interface Page {
  readonly status: number;
  readonly title: string;
  readonly body: string;
  /** Runs after the page was read. */
  readonly script?: { readonly code: string; readonly values: unknown };
  /** The script calls this service and posts a form to the platform. */
  readonly asksService?: boolean;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);

/** JSON inside a script element: no end tag can begin in it. */
const inScript = (values: unknown): string => JSON.stringify(values).replaceAll('<', '\\u003c');

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem}
h1{font-size:1.4rem;line-height:1.3}.code{opacity:.75;font-size:.9rem}
a.button{display:inline-block;padding:.6rem 1rem;border-radius:.4rem;background:#1f4fa3;color:#fff;text-decoration:none}
a.button:focus-visible{outline:3px solid currentColor;outline-offset:2px}[hidden]{display:none}
dl{margin:1rem 0}dt{opacity:.75;font-size:.9rem}dd{margin:0 0 .5rem;font-weight:600;overflow-wrap:anywhere}
fieldset{border:0;margin:0 0 1rem;padding:0}legend{font-weight:600}label{display:block;margin:.3rem 0}small{display:block;opacity:.75;margin-left:1.6rem}
input,button{font:inherit}input[name=title]{width:100%;box-sizing:border-box}button{padding:.6rem 1rem}`;

/**
 * Answers with a page that its sender may show in a frame. It acts by links and forms of this service only, which other
 * sites cannot press unseen: they begin a launch anew or open one that is the reader's own.
 */
export function sendPage(response: Response, { code, texts }: PageLanguage, page: Page): void {
  const nonce = randomBytes(16).toString('base64');
  const { script } = page;
  const scripts =
    script === undefined
      ? ''
      : `<script type="application/json" id="values">${inScript(script.values)}</script><script nonce="${nonce}">${script.code}</script>`;
  response.removeHeader('X-Frame-Options');
  response.set({
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': [
      `default-src 'none'`,
      `style-src 'nonce-${nonce}'`,
      ...(script === undefined ? [] : [`script-src 'nonce-${nonce}'`]),
      ...(page.asksService === true ? [`connect-src 'self'`, 'form-action http: https:'] : [`form-action 'self'`]),
      `base-uri 'none'`,
      'frame-ancestors http: https:',
    ].join('; '),
  });
  response.status(page.status).type('html').send(`<!doctype html>
<html lang="${code}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title || texts.refused)}</title><style nonce="${nonce}">${STYLE}</style></head>
<body><main>${page.body}</main>${scripts}</body></html>
`);
}
