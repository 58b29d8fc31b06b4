import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const ICON = /@lucide\/svelte\/dist\/icons\/[\w-]+\.svelte$/;
const NODES = /const iconData = (\{.*\});/s;

interface IconData {
  readonly name: string;
  readonly node: readonly (readonly [string, Readonly<Record<string, string>>])[];
}

const drawn = ({ name, node }: IconData): string => {
  const shapes = node.map(([tag, attributes]) => {
    const words = Object.entries(attributes).map(([key, value]) => `${key}="${value}"`);
    return `<${tag} ${words.join(' ')} />`;
  });
  return `<script>let { size = 24, class: extra = '' } = $props();</script>
<svg xmlns="http://www.w3.org/2000/svg" width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor"
  stroke-width="2" stroke-linecap="round" stroke-linejoin="round" class="lucide lucide-${name} {extra}" aria-hidden="true">${shapes.join('')}</svg>`;
};

/**
 * Icons as plain drawings: the package's own component builds every attribute at run time, which costs scripts on every
 * page. Icons of this interface stand beside words and are hidden from screen readers; `size` and `class` can be set.
 */
export function icons(): Plugin {
  return {
    name: 'bellwether-icons',
    enforce: 'pre',
    load(id) {
      if (!ICON.test(id)) return null;
      const data = NODES.exec(readFileSync(id, 'utf8'))?.[1];
      // Left to the package it would still be drawn, with the scripts on every page that this is here to spare.
      if (data === undefined) return this.error(`${id} does not hold its drawing as this plugin reads it`);
      return drawn(JSON.parse(data) as IconData);
    },
  };
}
