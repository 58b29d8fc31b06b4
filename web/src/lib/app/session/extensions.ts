import { session, type Me } from './session.svelte';

export type Extension = Me['extensions'][number];

/** Addresses that belong to an extension: its pages, and those of the guide about it. */
const PAGES: readonly (readonly [Extension, RegExp])[] = [
  ['lti', /^\/(?:courses|organization\/platforms)(?:\/|$)|^\/chat\/.*[?&]activity=/],
  ['lti', /^\/help\/(?:courses|learning-platforms|lti|lti-bridge)$/],
  ['lamb-import', /^\/help\/move-from-lamb$/],
  ['join', /^\/join(?:\/|$)/],
  ['insights', /^\/assistants\/[^/]+\/insights(?:\/|$)|^\/help\/what-the-class-asks$/],
  ['evaluations', /^\/assistants\/[^/]+\/tests(?:[/?]|$)|^\/replays\/|^\/help\/assistant-tests$/],
];

/** Whether the service has the extension. Strangers are not told. */
export const hasExtension = (name: Extension): boolean => session.me?.extensions.includes(name) ?? true;

/** Whether the service has the page at an address of the UI. */
export const hasPage = (address: string): boolean =>
  PAGES.every(([extension, addresses]) => !addresses.test(address) || hasExtension(extension));
