import type { Parts } from '$lib/app/slots';

export const slots: Parts = {
  'chat.menu': () => import('./courses/CourseMenu.svelte'),
  'chat.foot': () => import('./courses/CourseFoot.svelte'),
};
