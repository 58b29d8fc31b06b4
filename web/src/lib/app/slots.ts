import type { Component } from 'svelte';
import { type Extension, hasExtension } from './session/extensions';

/**
 * Places of core pages that an extension may fill, with the values that its part gets. A feature whose values are its own
 * types adds its places by declaring this interface again.
 */
export interface Slots {
  /** Rules of the publication of an assistant. */
  'assistant.publication': { assistantId: number; mayChange: boolean };
  /** Ways in for people without an account. */
  'assistant.entrance': { assistantId: number; name: string };
  /** Below the groups of an organization. */
  groups: { slug: string };
}

/** Parts of an extension for places of core pages: the export `slots` of its `index.ts`. */
export type Parts = { readonly [Name in keyof Slots]?: () => Promise<{ readonly default: Component<Slots[Name]> }> };

const extensions = import.meta.glob<Parts>('../extensions/*/index.ts', { eager: true, import: 'slots' });

/** Loads the part for a place; undefined where no extension that is on has one. */
export const partFor = <Name extends keyof Slots>(name: Name): Parts[Name] =>
  Object.entries(extensions).find(
    ([path, parts]) => name in parts && hasExtension(path.split('/').at(-2) as Extension),
  )?.[1][name];
