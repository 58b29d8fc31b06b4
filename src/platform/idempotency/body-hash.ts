import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { isJsonObject } from '../../kernel';

interface UploadedFile {
  readonly fieldname?: string;
  readonly originalname?: string;
  readonly buffer?: Buffer;
  readonly size?: number;
}

/** JSON with members in one order, so that two clients' spellings of one body are equal. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(',')}}`;
}

function filesOf({ files, file }: Request): UploadedFile[] {
  if (Array.isArray(files)) return files;
  if (files !== undefined) return Object.values(files).flat();
  return file === undefined ? [] : [file];
}

/**
 * SHA-256 over query and body. Uploads count by field, name and bytes where they have been read before the interceptor
 * runs; read later, only their total length is known (a multipart boundary differs at every try, so raw bytes say nothing).
 */
export function bodyHash(request: Request): string {
  const hash = createHash('sha256');
  hash.update(canonical({ query: request.query, body: request.body ?? null }));
  const files = filesOf(request);
  for (const { fieldname, originalname, buffer, size } of files) {
    hash.update(canonical([fieldname, originalname, size ?? buffer?.length ?? 0]));
    if (buffer !== undefined) hash.update(buffer);
  }
  if (files.length === 0 && request.is('multipart/form-data')) hash.update(request.headers['content-length'] ?? '');
  return hash.digest('hex');
}
