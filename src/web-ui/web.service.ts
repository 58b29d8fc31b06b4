import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppError } from '../kernel';
import { CONFIG, type Config } from '../infrastructure/config';
import { FRAME_PERMISSIONS, type FramePermissions } from './frame-permissions.token';
import { ENCODINGS, readWebBuild, type WebBuild, type WebFile } from './web-build';
import { WEB_DIRECTORY } from './web-directory.token';

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

/** Navigation of browsers asks for HTML by name; other requests do not. */
const wantsPage = ({ path, headers }: Request): boolean => path === '/' || /\btext\/html\b/.test(headers.accept ?? '');
