import type { Content } from './live-run.svelte';

/** A question as the service takes it: plain text, or parts where pictures come with it. */
export const contentOf = (text: string, pictures: readonly { readonly url: string }[]): Content =>
  pictures.length === 0
    ? text
    : [
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...pictures.map(({ url }) => ({ type: 'image_url', image_url: { url } })),
      ];

export const textOf = (content: Content): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : [])).join('\n');

/** Addresses of the pictures of a question. */
export const picturesOf = (content: Content): readonly string[] =>
  typeof content === 'string'
    ? []
    : content.flatMap((part) => {
        const picture = part['image_url'] as { readonly url?: unknown } | undefined;
        return typeof picture?.url === 'string' ? [picture.url] : [];
      });
