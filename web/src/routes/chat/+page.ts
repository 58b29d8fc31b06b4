import { redirect } from '@sveltejs/kit';

/** A chat belongs to an assistant: without one, people choose. */
export const load = (): never => redirect(307, '/assistants');
