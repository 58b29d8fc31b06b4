import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UploadedFile } from '../../infrastructure/http';

/** The build copies it beside the compiled code. */
const CONTENT = join(__dirname, 'content');

function fileOf(path: string, name: string): UploadedFile {
  const bytes = readFileSync(join(path, name));
  return { name, size: bytes.length, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Every file of one folder of the demo content, by name. */
export function contentFolder(name: string): UploadedFile[] {
  const folder = join(CONTENT, name);
  return readdirSync(folder)
    .sort()
    .map((file) => fileOf(folder, file));
}

export const contentRubric = (): unknown => JSON.parse(readFileSync(join(CONTENT, 'rubric.json'), 'utf8'));
