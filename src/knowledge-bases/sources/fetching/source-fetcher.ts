import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel';
import { CONFIG, type Config } from '../../../infrastructure/config';
import { type OutboundBytes, OutboundClient } from '../../../infrastructure/outbound';
import type { SourceEntity } from '../storage/source.entity';
import type { SourceKind } from '../storage/source.types';
import { asUtf8, formatOf, isCaptionsFile } from './media-type';
import { isAllowed, ROBOTS_TOKEN, rulesOf } from './robots';
import { SourceError } from './source.errors';
import { toWebVtt } from './timed-text';
import { chosenTrack, readWatchPage, watchAddress } from './watch-page';

const MEBIBYTE = 1024 * 1024;
/** Largest body of a page, smaller when the limit of documents is. */
const MAX_BYTES = 20 * MEBIBYTE;
/** RFC 9309 §2.5: at least 500 KiB are read. */
const ROBOTS_BYTES = 512 * 1024;
const ACCEPT =
  'text/html, application/xhtml+xml, application/pdf, text/vtt, application/x-subrip, text/plain;q=0.8, */*;q=0.5';

export interface FetchedContent {
  readonly kind: SourceKind;
  /** Names the format of the bytes. */
  readonly extension: string;
  readonly bytes: Buffer;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

interface FetchRequest extends Pick<SourceEntity, 'url' | 'etag' | 'lastModified'> {
  /** Preferred language of captions and pages. */
  readonly language: string | null;
}

/** Fetches addresses as programs should: under the site's robots.txt, with the service's name, and within limits. */
@Injectable()
export class SourceFetcher {
  private readonly maxBytes: number;
  private readonly timeoutMs: number;
  private readonly agent: string;

  constructor(
    @Inject(CONFIG) { extraction, http, sources }: Config,
    private readonly outbound: OutboundClient,
  ) {
    this.timeoutMs = sources.timeoutMs;
    this.maxBytes = Math.min(MAX_BYTES, extraction.maxBytes);
    this.agent = http.publicUrl === null ? 'Bellwether' : `Bellwether (+${http.publicUrl})`;
  }

  /**
   * The content of an address; null when the site says that it has not changed since `etag` and `lastModified`.
   * @throws {SourceError | AppError}
   */
  async fetch(request: FetchRequest, signal: AbortSignal): Promise<FetchedContent | null> {
    const answer = await this.page(request, signal);
    if (answer.status === 304) return null;
    assertOk(answer.status);
    const { headers } = answer;
    const type = headers['content-type'] ?? '';
    const url = new URL(request.url);
    const extension = formatOf(type, url);
    const bytes = asUtf8(answer.bytes, type, extension);
    const validators = { etag: headers['etag'] ?? null, lastModified: headers['last-modified'] ?? null };
    const captions = extension === 'html' ? await this.captions(bytes, request, signal) : null;
    if (captions !== null) return { kind: 'video', extension: 'vtt', bytes: captions, etag: null, lastModified: null };
    return { kind: isCaptionsFile(extension) ? 'video' : 'page', extension, bytes, ...validators };
  }

  /** Asks robots.txt of every origin on the way. */
  private async page({ url, etag, lastModified, language }: FetchRequest, signal: AbortSignal): Promise<OutboundBytes> {
    const known = new Map<string, Promise<(url: URL) => boolean>>();
    const admit = async (target: URL): Promise<void> => {
      const rules = known.get(target.origin) ?? this.robots(target.origin, signal);
      known.set(target.origin, rules);
      if ((await rules)(target)) return;
      const message = 'The robots.txt of the site does not allow programs to read this address';
      throw new SourceError('source.robots', message);
    };
    const headers = {
      ...this.headers(language),
      accept: ACCEPT,
      ...(etag === null ? {} : { 'if-none-match': etag }),
      ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
    };
    return this.download({ url, headers, admit }, signal);
  }

  /** Captions of a video's watch page as WebVTT; null for a page that has no player. */
  private async captions(bytes: Buffer, { url, language }: FetchRequest, signal: AbortSignal): Promise<Buffer | null> {
    if (watchAddress(new URL(url)) === null) return null;
    const page = readWatchPage(bytes.toString('utf8'), url);
    if (page === null) {
      if (new URL(url).hostname !== 'www.youtube.com') return null;
      throw noCaptions('The site did not show the page of the video');
    }
    const track = chosenTrack(page.tracks, language);
    if (track === null) throw noCaptions('The video has no captions');
    // Listed for the page's player, so without robots.txt, which is about finding pages.
    const answer = await this.download({ url: track.address, headers: this.headers(language) }, signal);
    assertOk(answer.status);
    const text = toWebVtt(answer.bytes.toString('utf8'), page.title);
    if (text === null) throw noCaptions('The site did not give out the captions of the video');
    return Buffer.from(text, 'utf8');
  }

  /** RFC 9309 §2.3.1: without a robots.txt everything is allowed; an unreachable one allows nothing for now. */
  private async robots(origin: string, signal: AbortSignal): Promise<(url: URL) => boolean> {
    const answer = await this.outbound.download({
      url: `${origin}/robots.txt`,
      headers: { 'user-agent': this.agent, accept: 'text/plain' },
      timeoutMs: this.timeoutMs,
      maxBytes: ROBOTS_BYTES,
      signal,
    });
    if (answer.status >= 500) {
      throw new SourceError('source.unavailable', 'The robots.txt of the site could not be read', true);
    }
    const rules = answer.status >= 400 ? [] : rulesOf(answer.bytes.toString('utf8'), ROBOTS_TOKEN);
    return (url) => isAllowed(rules, url);
  }

  private async download(
    request: Pick<Parameters<OutboundClient['download']>[0], 'url' | 'headers' | 'admit'>,
    signal: AbortSignal,
  ): Promise<OutboundBytes> {
    try {
      return await this.outbound.download({ ...request, timeoutMs: this.timeoutMs, maxBytes: this.maxBytes, signal });
    } catch (error) {
      if (error instanceof AppError && error.cause instanceof SourceError) throw error.cause;
      if (!(error instanceof AppError) || error.code !== 'upstream_bad_response') throw error;
      const megabytes = Math.floor(this.maxBytes / MEBIBYTE);
      throw new SourceError('source.too_large', `The address gives more than ${megabytes} MiB`);
    }
  }

  private headers(language: string | null): Record<string, string> {
    return { 'user-agent': this.agent, ...(language === null ? {} : { 'accept-language': language }) };
  }
}

const noCaptions = (message: string): SourceError => new SourceError('source.no_captions', message);

function assertOk(status: number): void {
  if (status >= 200 && status < 300) return;
  if (status === 404 || status === 410) throw new SourceError('source.not_found', 'There is no page at this address');
  if (status === 401 || status === 403) {
    throw new SourceError('source.forbidden', 'The site does not show this address without signing in');
  }
  if (status === 429 || status >= 500) {
    throw new SourceError('source.unavailable', `The site answered with status ${status}; it may work later`, true);
  }
  throw new SourceError('source.status', `The site answered with status ${status}`);
}
