import { isJsonObject, type JsonObject } from '@bellwether/kernel';

const YOUTUBE = /^(?:www\.|m\.|music\.)?youtube(?:-nocookie)?\.com$/;
const VIDEO_ID = /^[\w-]{6,20}$/;
const MARKER = 'ytInitialPlayerResponse';
/** Between the marker and its object. */
const ASSIGNMENT = /^["'\]\s]{0,10}=\s{0,10}$/;
/** Mentions of the marker that are looked at: each may need a look at the whole page. */
const MARKERS = 20;

interface CaptionTrack {
  readonly address: string;
  readonly language: string;
  /** Made by speech recognition. */
  readonly automatic: boolean;
}

interface WatchPage {
  readonly title: string;
  readonly tracks: readonly CaptionTrack[];
}

/** The watch page of a video, for any of the forms of its address; null for other addresses. */
export function watchAddress(url: URL): string | null {
  const [, first = '', second = ''] = url.pathname.split('/');
  const asked = first === 'watch' ? (url.searchParams.get('v') ?? '') : '';
  if (url.hostname === 'youtu.be' && VIDEO_ID.test(first)) return `https://www.youtube.com/watch?v=${first}`;
  if (YOUTUBE.test(url.hostname)) {
    const id = ['shorts', 'embed', 'live'].includes(first) ? second : asked;
    return VIDEO_ID.test(id) ? `https://www.youtube.com/watch?v=${id}` : null;
  }
  return VIDEO_ID.test(asked) ? `${url.origin}/watch?v=${asked}` : null;
}

/** The address of one moment of a video. Other sites get a media fragment (W3C Media Fragments §4.2.1). */
export function momentAddress(address: string, seconds: number): string {
  return /\/watch\?v=[\w-]+$/.test(address) ? `${address}&t=${seconds}` : `${address}#t=${seconds}`;
}

/** Title and caption tracks that the page gives its player; null when it gives none. */
export function readWatchPage(html: string, base: string): WatchPage | null {
  const response = playerResponse(html);
  if (response === null) return null;
  const details = objectIn(response, 'videoDetails');
  const renderer = objectIn(objectIn(response, 'captions'), 'playerCaptionsTracklistRenderer');
  const listed: unknown = renderer['captionTracks'];
  const tracks = (Array.isArray(listed) ? (listed as unknown[]) : []).flatMap((track) => trackOf(track, base));
  const title = typeof details['title'] === 'string' ? details['title'] : '';
  return { title: title.replace(/\s+/g, ' ').trim().slice(0, 200), tracks };
}

/** The track in the language, else any; written captions before recognized ones. */
export function chosenTrack(tracks: readonly CaptionTrack[], language: string | null): CaptionTrack | null {
  const score = (track: CaptionTrack): number =>
    (language !== null && track.language.split('-')[0] === language ? 2 : 0) + (track.automatic ? 0 : 1);
  return [...tracks].sort((a, b) => score(b) - score(a))[0] ?? null;
}

const objectIn = (object: JsonObject, key: string): JsonObject => {
  const value = object[key];
  return isJsonObject(value) ? value : {};
};

function trackOf(track: unknown, base: string): CaptionTrack[] {
  if (!isJsonObject(track)) return [];
  const { baseUrl, languageCode, kind } = track;
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl, base)) return [];
  const address = new URL(baseUrl, base);
  address.searchParams.set('fmt', 'json3');
  const language = typeof languageCode === 'string' ? languageCode.toLowerCase() : '';
  return [{ address: address.href, language, automatic: kind === 'asr' }];
}

function playerResponse(html: string): JsonObject | null {
  let at = -MARKER.length;
  for (let tries = 0; tries < MARKERS; tries++) {
    at = html.indexOf(MARKER, at + MARKER.length);
    const begin = at < 0 ? -1 : html.indexOf('{', at);
    if (begin < 0) return null;
    if (!ASSIGNMENT.test(html.slice(at + MARKER.length, Math.min(begin, at + 100)))) continue;
    const end = objectEnd(html, begin);
    if (end === null) return null;
    try {
      const value: unknown = JSON.parse(html.slice(begin, end));
      if (isJsonObject(value)) return value;
    } catch {
      // A function of the page that only mentions the name.
    }
  }
  return null;
}

/** The end of the JSON object that begins there; null when it is cut off. */
function objectEnd(text: string, begin: number): number | null {
  let depth = 0;
  let inString = false;
  for (let at = begin; at < text.length; at++) {
    const unit = text[at];
    if (inString) {
      if (unit === '\\') at++;
      else if (unit === '"') inString = false;
    } else if (unit === '"') inString = true;
    else if (unit === '{') depth++;
    else if (unit === '}' && --depth === 0) return at + 1;
  }
  return null;
}
