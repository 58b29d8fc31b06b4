import { posix } from 'node:path';
import type { OfficeParts } from './office-archive';
import { allNamed, parseXml } from './office-xml';

export interface Relation {
  readonly id: string;
  /** Last step of the type's address. */
  readonly type: string;
  /** Name of a part. */
  readonly target: string;
}

export const partText = (parts: OfficeParts, name: string): string | undefined => parts.get(name)?.toString('utf8');

/** The name of a part as another one refers to it. It never leaves the file. */
export const resolvePart = (folder: string, target: string): string => posix.resolve(`/${folder}`, target).slice(1);

/** Parts of the same file that a part refers to (OPC, ECMA-376-2 §6.5). Nothing outside of the file is read. */
export function relationsOf(parts: OfficeParts, part: string): readonly Relation[] {
  const folder = posix.dirname(part);
  const xml = partText(parts, `${folder}/_rels/${posix.basename(part)}.rels`);
  if (xml === undefined) return [];
  return allNamed(parseXml(xml), 'Relationship').flatMap(({ attributes }) => {
    const { Id: id, Type: type = '', Target: target, TargetMode: mode } = attributes;
    if (id === undefined || target === undefined || mode === 'External') return [];
    return [{ id, type: posix.basename(type), target: resolvePart(folder, target) }];
  });
}
