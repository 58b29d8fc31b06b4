/** Icons of a resource's menu: they come when somebody is about to open it. */
export { default as copy } from '@lucide/svelte/icons/copy';
export { default as download } from '@lucide/svelte/icons/download';
export { default as eye } from '@lucide/svelte/icons/eye';
export { default as share } from '@lucide/svelte/icons/share-2';
export { default as trash } from '@lucide/svelte/icons/trash-2';
