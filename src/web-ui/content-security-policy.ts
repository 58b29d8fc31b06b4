import { createHash } from 'node:crypto';

/** Inline scripts; those with a `src` come under `self`. */
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gi;

const hashOf = (script: string): string => `'sha256-${createHash('sha256').update(script, 'utf8').digest('base64')}'`;

/**
 * Content Security Policy Level 3: no foreign resources. The hash allows the one inline script, which starts the
 * application. `frameAncestors` are the origins that may frame the page beside its own. Components and the editor set inline styles. Remote pictures in answers would reveal the reader.
 */
export function contentSecurityPolicy(page: string, frameAncestors: readonly string[] = []): string {
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
    `frame-ancestors ${["'self'", ...frameAncestors].join(' ')}`,
  ].join('; ');
}
