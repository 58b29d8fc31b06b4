import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { contentSecurityPolicy } from './content-security-policy';

const ENCODERS = {
  // Above 9 the first visitor of a file waits for what saves some hundred bytes.
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};
/** In the order of preference. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const TEXT = new Set(['.html', '.js', '.css', '.json', '.svg', '.txt', '.webmanifest']);
/** Smaller files fit into one packet. */
const WORTH_COMPRESSING = 1_024;

/** One file of the build, read at start. */
export class WebFile {
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

export interface WebBuild {
  /** By path on the service, e.g. `/favicon.svg`. */
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
