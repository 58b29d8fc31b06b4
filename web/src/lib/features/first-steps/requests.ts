import { api, must, type Schema } from '$lib/kit/api/client';

export type Steps = Schema<'FirstStepsDto'>;

export const firstSteps = async (): Promise<Steps> => must(await api.GET('/api/v1/first-steps'));
