import { AppError } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../infrastructure/config';
import { FRAME_PERMISSIONS, type FramePermissions } from './frame-permissions.token';

/** Folder with the built UI. */
export const WEB_DIRECTORY = Symbol('WEB_DIRECTORY');

/** `web/build` of the checkout or image, seen from the sources and from `dist/`. */
export const webDirectory = (): string => {
  const [sources = '', built = ''] = ['../..', '../../..'].map((up) => join(__dirname, up, 'web', 'build'));
  return existsSync(sources) ? sources : built;
};

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

const ENCODERS = {
  // Above 9 the first visitor of a file waits for what saves some hundred bytes.
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};
/** Encodings in the order of preference. */
const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

const TEXT = new Set(['.html', '.js', '.css', '.json', '.svg', '.txt', '.webmanifest']);
/** Smaller files fit into one packet. */
const WORTH_COMPRESSING = 1_024;

/** One file of the build, read at start. */
class WebFile {
  /** Strong validator (RFC 9110 §8.8.3); the compressed form has another one. */
  private readonly hash: string;
  private readonly compressed = new Map<Encoding, Promise<Buffer>>();

  constructor(
    readonly extension: string,
    readonly bytes: Buffer,
  ) {
    this.hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  }

  get isCompressible(): boolean {
    return TEXT.has(this.extension) && this.bytes.length >= WORTH_COMPRESSING;
  }

  etag(encoding: Encoding | null): string {
    return `"${this.hash}${encoding === null ? '' : `-${encoding}`}"`;
  }

  /** Compressed at the first request. */
  encoded(encoding: Encoding): Promise<Buffer> {
    const known = this.compressed.get(encoding) ?? ENCODERS[encoding](this.bytes);
    this.compressed.set(encoding, known);
    return known;
  }
}

interface WebBuild {
  /** Files by path on the service, e.g. `/favicon.svg`. */
  readonly files: ReadonlyMap<string, WebFile>;
  readonly page: WebFile;
  /** Content-Security-Policy of the page. */
  readonly policy: string;
  /** The same where other sites may frame the page. */
  readonly framedPolicy: (ancestors: readonly string[]) => string;
}

/**
 * Reads the whole build into memory, some megabytes: files stay consistent while another build is written. Null without
 * a build.
 */
export function readWebBuild(directory: string): WebBuild | null {
  const index = join(directory, 'index.html');
  if (!existsSync(index)) return null;
  const files = new Map<string, WebFile>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(directory.length).split(sep).join('/');
    files.set(path, new WebFile(extname(entry.name).toLowerCase(), readFileSync(file)));
  }
  const page = files.get('/index.html');
  if (page === undefined) return null;
  const text = page.bytes.toString('utf8');
  const policy = contentSecurityPolicy(text);
  return { files, page, policy, framedPolicy: (ancestors) => contentSecurityPolicy(text, ancestors) };
}

/** Paths that are never a page: a missing one is 404. */
const NO_PAGE = /^\/(api|v1|lamb|mcp|health|metrics|_app)(\/|$)/i;
/** SvelteKit hashes the names of these files. */
const IMMUTABLE = /^\/_app\/immutable\//;

/** The chat with an assistant, and the page of a course: the pages that other sites may frame. */
const FRAMEABLE = /^\/(?:chat|courses)\/[^/]/;
/** Sites of the operator's list show the chat alone. */
const CHAT = /^\/chat\/./;

const FOR_EVER = 'public, max-age=31536000, immutable';
/** Cached, and revalidated at every use. */
const ASK_FIRST = 'no-cache';

const UNBUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Bellwether</title></head>
<body><h1>Bellwether</h1><p>The web interface is not built: <code>npm run build</code> makes it.
The <a href="/api/docs">API</a> works without it.</p></body></html>
`;

const nothing = (): AppError => new AppError('not_found', 'There is nothing here');

/** The UI as static files. Every other address gets the page, which routes in the browser. */
@Injectable()
export class WebService {
  private read: { readonly build: WebBuild | null } | null = null;

  constructor(
    @Inject(WEB_DIRECTORY) private readonly directory: string,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(FRAME_PERMISSIONS) private readonly frames: FramePermissions,
  ) {}

  /** Reads the build once. False without a build. */
  prepare(): boolean {
    this.read ??= { build: readWebBuild(this.directory) };
    return this.read.build !== null;
  }

  /** @throws {AppError} `not_found` */
  async answer(request: Request, response: Response): Promise<void> {
    this.prepare();
    const { path } = request;
    const build = this.read?.build ?? null;
    const file = build?.files.get(path);
    if (file !== undefined && build !== null) {
      if (file === build.page) response.set('Content-Security-Policy', build.policy);
      return this.send(file, IMMUTABLE.test(path) ? FOR_EVER : ASK_FIRST, request, response);
    }
    if (NO_PAGE.test(path) || !wantsPage(request)) throw nothing();
    if (build === null) return void response.status(503).type('html').send(UNBUILT);
    await this.protect(request, build, response);
    return this.send(build.page, ASK_FIRST, request, response);
  }

  /** Omits `X-Frame-Options` where the policy names other sites, because that header cannot (CSP3 §6.4.2). */
  private async protect(
    { path, query }: Request,
    { policy, framedPolicy }: WebBuild,
    response: Response,
  ): Promise<void> {
    const { activity } = query;
    const isShown = FRAMEABLE.test(path);
    const launchers = isShown && typeof activity === 'string' ? await this.frames.ancestorsOf(activity) : [];
    const ancestors = [...(CHAT.test(path) ? this.config.http.frameAncestors : []), ...launchers];
    const isFrameable = ancestors.length > 0;
    response.set('Content-Security-Policy', isFrameable ? framedPolicy(ancestors) : policy);
    if (isFrameable) response.removeHeader('X-Frame-Options');
  }

  private async send(file: WebFile, cacheControl: string, request: Request, response: Response): Promise<void> {
    // Browsers name gzip first without preferring it.
    const accepted = ENCODINGS.find((each) => request.acceptsEncodings(each) === each) ?? null;
    const encoding = file.isCompressible ? accepted : null;
    response.set({ 'Cache-Control': cacheControl, ETag: file.etag(encoding) });
    if (file.isCompressible) response.vary('Accept-Encoding');
    if (encoding !== null) response.set('Content-Encoding', encoding);
    // Express answers 304 and HEAD.
    response.type(file.extension).send(encoding === null ? file.bytes : await file.encoded(encoding));
  }
}

/** The start page, and links that people send each other: programs that look at a link ask for any type. */
const ALWAYS_A_PAGE = /^\/(?:join\/[^/]+)?$/;

/** Navigation of browsers asks for HTML by name; other requests do not. */
const wantsPage = ({ path, headers }: Request): boolean =>
  ALWAYS_A_PAGE.test(path) || /\btext\/html\b/.test(headers.accept ?? '');
