import { createHash } from 'node:crypto';

/** Scripts that stand in the page itself; those with a `src` come under `'self'`. */
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gi;

const hashOf = (script: string): string => `'sha256-${createHash('sha256').update(script, 'utf8').digest('base64')}'`;

/**
 * What the page may load (Content Security Policy Level 3): nothing from elsewhere. The page's one inline script, which
 * starts the application, is named by its hash. Styles are inline where components and the editor set them. Pictures are
 * ours alone: a remote one in an answer would tell its address who reads it.
 */
export function contentSecurityPolicy(page: string): string {
  const scripts = [...page.matchAll(INLINE_SCRIPT)].map(([, script = '']) => hashOf(script));
  return [
    `default-src 'self'`,
    `script-src ${["'self'", ...scripts].join(' ')}`,
    `script-src-attr 'none'`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data: blob:`,
    `font-src 'self' data:`,
    `connect-src 'self'`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'self'`,
  ].join('; ');
}
