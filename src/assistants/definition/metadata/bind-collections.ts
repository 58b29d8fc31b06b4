import { type JsonObject, isJsonObject } from '@bellwether/kernel';
import { externalReference, isSlugReference, unboundReference } from '../../../knowledge-bases';
import type { CollectionIds, StoredDefinition } from './document.types';
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

/** Key of a reference in `CollectionIds`: one that nobody who may read the thing has saved yet. */
export const unboundKey = (member: string, value: unknown): string => JSON.stringify([member, value]);

const isUnboundKey = (key: string): boolean => key.startsWith('[');

export const unboundKeys = (ids: CollectionIds | null | undefined): ReadonlySet<string> =>
  new Set(Object.keys(ids ?? {}).filter(isUnboundKey));

/** The bindings with `keys` as the only unbound references. */
export const withUnbound = (ids: CollectionIds | null | undefined, keys: Iterable<string>): CollectionIds =>
  Object.fromEntries([
    ...Object.entries(ids ?? {}).filter(([key]) => !isUnboundKey(key)),
    ...[...keys].sort().map((key): [string, null] => [key, null]),
  ]);

/** Settings of a classic assistant that name a thing. */
const CLASSIC_REFERENCES = ['rubric_id', 'file_path'] as const;

/** A value in a definition that may name a thing. */
export interface NamedValue {
  /** JSON path in the request: `metadata.tools[0].config.collections[1]`. */
  readonly path: string;
  readonly key: string;
  readonly value: string | number;
}

/** Every text and number of tools, fallbacks, functions and the classic settings, with its place. */
export function namedValues({ metadata, ragCollections }: Named): NamedValue[] {
  const found: NamedValue[] = [];
  replacedIn(definitionTree({ metadata, ragCollections }), (path, key, value) => {
    found.push({ path, key, value });
    return value;
  });
  return found;
}

/** The definition for runs: an unbound reference names nothing. */
export function withoutUnbound(definition: StoredDefinition, ids: CollectionIds | null): StoredDefinition {
  const keys = unboundKeys(ids);
  if (keys.size === 0) return definition;
  const tree = replacedIn(definitionTree(definition), (_, key, value) =>
    keys.has(key) ? unboundReference(value) : value,
  );
  const { metadata, RAG_collections: ragCollections } = tree as {
    metadata: JsonObject;
    RAG_collections: readonly string[];
  };
  return { ...definition, metadata: { ...definition.metadata, ...metadata }, ragCollections };
}

type Named = Pick<StoredDefinition, 'metadata' | 'ragCollections'>;

function definitionTree({ metadata, ragCollections }: Named): JsonObject {
  const kept = [...LISTS, ...CLASSIC_REFERENCES].filter((key) => Object.hasOwn(metadata, key));
  return {
    metadata: Object.fromEntries(kept.map((key) => [key, metadata[key]])),
    RAG_collections: ragCollections,
  };
}

type Replace = (path: string, key: string, value: string | number) => string | number;

/** `member`: the name under which the value stands, for items of a list that of the list. */
function replacedIn(node: unknown, replace: Replace, path = '', member = ''): unknown {
  if (typeof node === 'string' || typeof node === 'number') {
    const name = member === 'RAG_collections' ? 'collections' : member;
    return replace(path, unboundKey(name, typeof node === 'string' ? node.trim() : node), node);
  }
  if (Array.isArray(node))
    return node.map((item: unknown, index) => replacedIn(item, replace, `${path}[${index}]`, member));
  if (!isJsonObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      replacedIn(value, replace, path === '' ? key : `${path}.${key}`, key),
    ]),
  );
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
