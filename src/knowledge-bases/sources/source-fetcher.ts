import { AppError, isJsonObject } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import { type OutboundBytes, OutboundClient } from '../../infrastructure/outbound';
import type { SourceEntity, SourceKind } from './source.entity';
import { chosenTrack, readWatchPage, watchAddress } from './watch-page';

/** Codes of failures of a source, beside those of the outbound client. */
type SourceErrorCode =
  | 'source.robots'
  | 'source.not_found'
  | 'source.forbidden'
  | 'source.status'
  | 'source.unavailable'
  | 'source.content_type'
  | 'source.type_changed'
  | 'source.too_large'
  | 'source.no_captions';

/** The address gave nothing that can be read. `message` is a sentence for the owner and never quotes the site. */
export class SourceError extends Error {
  constructor(
    readonly code: SourceErrorCode,
    message: string,
    /** A later try may succeed. */
    readonly transient = false,
  ) {
    super(message);
    this.name = 'SourceError';
  }
}

/** Extensions of documents by media type. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/markdown': 'md',
  'text/csv': 'csv',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/epub+zip': 'epub',
  'application/x-ipynb+json': 'ipynb',
  'text/vtt': 'vtt',
  'application/x-subrip': 'srt',
};
/** Media types that say little: the extension of the address decides. */
const VAGUE: readonly string[] = ['', 'text/plain', 'application/octet-stream', 'binary/octet-stream'];
const BY_ADDRESS: readonly string[] = [
  'md',
  'csv',
  'json',
  'pdf',
  'docx',
  'pptx',
  'xlsx',
  'epub',
  'ipynb',
  'vtt',
  'srt',
  'txt',
];
const TEXTS: readonly string[] = ['html', 'md', 'csv', 'json', 'ipynb', 'vtt', 'srt', 'txt'];

export const isCaptionsFile = (extension: string): boolean => extension === 'vtt' || extension === 'srt';

export const extensionOf = ({ pathname }: URL): string => /\.([a-z]{2,5})$/i.exec(pathname)?.[1]?.toLowerCase() ?? '';

/** The extension that names the format of a body. @throws {SourceError} `source.content_type` */
function formatOf(contentType: string, url: URL): string {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const known = Object.hasOwn(EXTENSIONS, type) ? EXTENSIONS[type] : undefined;
  if (known !== undefined) return known;
  const named = extensionOf(url);
  if (VAGUE.includes(type) && BY_ADDRESS.includes(named)) return named;
  if (type === 'text/plain') return 'txt';
  const what = /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60}$/.test(type) ? type : 'data of an unknown type';
  throw new SourceError('source.content_type', `The address gives ${what}, which cannot be read as a document`);
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Texts in the character set of the header, as UTF-8. A byte order mark overrides what the text says of itself. */
function asUtf8(bytes: Buffer, contentType: string, extension: string): Buffer {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  if (!TEXTS.includes(extension) || charset === 'utf-8' || charset === 'utf8') return bytes;
  try {
    const text = new TextDecoder(charset).decode(bytes);
    return Buffer.concat([BYTE_ORDER_MARK, Buffer.from(text, 'utf8')]);
  } catch {
    // Unknown to this service: the reader of the format decides by the bytes.
    return bytes;
  }
}

/** Product token of this service in robots.txt. */
const ROBOTS_TOKEN = 'bellwether';

interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
}

/** RFC 9309 §2.2: groups of rules for this service; without one, the groups for `*`. */
export function rulesOf(text: string, token = ROBOTS_TOKEN): readonly Rule[] {
  const own: Rule[] = [];
  const general: Rule[] = [];
  let agents: string[] = [];
  let named = false;
  let inRules = false;
  for (const { key, value } of linesOf(text)) {
    if (key === 'user-agent') {
      if (inRules) agents = [];
      inRules = false;
      agents.push(value.toLowerCase());
      named ||= agents.includes(token);
      continue;
    }
    inRules = true;
    if (value === '') continue;
    const rule = { allow: key === 'allow', pattern: encoded(value) };
    if (agents.includes(token)) own.push(rule);
    if (agents.includes('*')) general.push(rule);
  }
  return named ? own : general;
}

const KEYS = ['user-agent', 'allow', 'disallow'];

function* linesOf(text: string): Generator<{ readonly key: string; readonly value: string }> {
  for (const line of text.split(/\r\n|\n|\r/)) {
    const content = line.split('#', 1)[0] ?? '';
    const at = content.indexOf(':');
    const key = content.slice(0, Math.max(at, 0)).trim().toLowerCase();
    if (KEYS.includes(key)) yield { key, value: content.slice(at + 1).trim() };
  }
}

/** RFC 9309 §2.2.2: the longest matching pattern decides; of two equally long ones, `allow`. */
export function isAllowed(rules: readonly Rule[], url: URL): boolean {
  const path = url.pathname + url.search;
  let best: Rule | null = null;
  for (const rule of rules) {
    if (!matches(rule.pattern, path)) continue;
    const longer = best === null || rule.pattern.length > best.pattern.length;
    if (longer || (rule.allow && rule.pattern.length === best?.pattern.length)) best = rule;
  }
  return best?.allow ?? true;
}

const encoded = (pattern: string): string =>
  pattern.toWellFormed().replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text));

/** `*` stands for any text, `$` at the end for the end of the path. Each part is searched once from left to right. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  const [first = '', ...rest] = parts;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = isWhole ? rest.pop() : undefined;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  if (!isWhole) return true;
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last);
}

/**
 * A caption track as a WebVTT file. Reads json3, the form in which YouTube's player gets its captions, and WebVTT. Null
 * when there are no words in it.
 */
export function toWebVtt(text: string, title: string): string | null {
  const cues = text.startsWith('WEBVTT') ? text.replace(/^WEBVTT[^\n]*\n?/, '').trim() : cuesOf(text);
  return cues === '' ? null : `WEBVTT${title === '' ? '' : ` - ${title}`}\n\n${cues}\n`;
}

function cuesOf(text: string): string {
  const events = eventsOf(text);
  return events
    .flatMap((event): string[] => {
      if (!isJsonObject(event)) return [];
      const { tStartMs: start, dDurationMs: duration, segs } = event;
      if (typeof start !== 'number' || !Number.isFinite(start) || start < 0) return [];
      const words = wordsOf(segs);
      const length = typeof duration === 'number' && duration > 0 ? duration : 1;
      return words === '' ? [] : [`${clock(start)} --> ${clock(start + length)}\n${words}`];
    })
    .join('\n\n');
}

function eventsOf(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && Array.isArray(value['events']) ? (value['events'] as unknown[]) : [];
  } catch {
    return [];
  }
}

const wordsOf = (segments: unknown): string =>
  (Array.isArray(segments) ? (segments as unknown[]) : [])
    .map((segment) => (isJsonObject(segment) && typeof segment['utf8'] === 'string' ? segment['utf8'] : ''))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

function clock(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  const part = (value: number, digits: number): string => String(value).padStart(digits, '0');
  const seconds = Math.floor(whole / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${part(hours, 2)}:${part(minutes, 2)}:${part(seconds % 60, 2)}.${part(whole % 1000, 3)}`;
}

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
