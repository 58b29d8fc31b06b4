import { isJsonObject, type JsonObject } from '../../kernel';
import { externalReference, isSlugReference } from '../../knowledge-bases';
import type { CollectionIds } from './document.types';
import type { StoredDefinition } from './metadata.types';
import { member } from './parse-metadata';

const LISTS = ['tools', 'functions'] as const;
const REFERENCES: ReadonlySet<string> = new Set(['collections', 'kb_id']);

type Rename = (name: string) => string;

/** Names and ids of collections in tools, fallbacks, functions and the classic list, without duplicates. */
export function collectionReferences(definition: Pick<StoredDefinition, 'metadata' | 'ragCollections'>): string[] {
  const references = new Set<string>();
  renamed(definition, (name) => {
    references.add(name);
    return name;
  });
  return [...references];
}

/** Slugs of knowledge bases among the collections of a definition. */
export const collectionNames = (definition: Pick<StoredDefinition, 'metadata' | 'ragCollections'>): string[] =>
  collectionReferences(definition).filter(isSlugReference);

/**
 * Replaces each slug by its meaning at the last save: the id of a knowledge base, or a reference to the external
 * server. A knowledge base that gets the slug later is not used. `ids` null: names stay.
 */
export function bindCollections(definition: StoredDefinition, ids: CollectionIds | null): StoredDefinition {
  if (ids === null) return definition;
  const bound = renamed(definition, (name) => {
    if (!isSlugReference(name)) return name;
    return (Object.hasOwn(ids, name) ? ids[name] : null) ?? externalReference(name);
  });
  return { ...definition, ...bound };
}

function renamed(
  { metadata, ragCollections }: Pick<StoredDefinition, 'metadata' | 'ragCollections'>,
  rename: Rename,
): Pick<StoredDefinition, 'metadata' | 'ragCollections'> {
  const lists = LISTS.flatMap((key) => {
    const list = member(metadata, key);
    if (!Array.isArray(list)) return [];
    const copy = list.map((entry: unknown) => renamedIn(entry, rename));
    return copy.every((entry, index) => entry === list[index]) ? [] : [[key, copy] as const];
  });
  return {
    metadata: lists.length === 0 ? metadata : { ...metadata, ...Object.fromEntries(lists) },
    ragCollections: ragCollections.map(rename),
  };
}

/** Returns the same object when nothing changes. */
function renamedIn(value: unknown, rename: Rename): unknown {
  if (!isJsonObject(value)) return value;
  const changes = Object.entries(value).flatMap(([key, old]) => {
    const next = REFERENCES.has(key) ? renamedReference(old, rename) : renamedIn(old, rename);
    return next === old ? [] : [[key, next] as const];
  });
  return changes.length === 0 ? value : ({ ...value, ...Object.fromEntries(changes) } satisfies JsonObject);
}

function renamedReference(value: unknown, rename: Rename): unknown {
  if (typeof value === 'string') {
    const name = rename(value.trim());
    return name === value.trim() ? value : name;
  }
  if (!Array.isArray(value)) return value;
  const list = value.map((item: unknown) => (typeof item === 'string' ? rename(item) : item));
  return list.every((item, index) => item === value[index]) ? value : list;
}
