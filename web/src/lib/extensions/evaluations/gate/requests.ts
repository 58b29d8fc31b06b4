import { api, must, type Schema } from '$lib/kit/api/client';

export type Gate = Schema<'GateDto'>;

export async function gateOf(id: number): Promise<Gate> {
  const params = { path: { id } };
  return must(await api.GET('/api/v1/assistants/{id}/publication/gate', { params }));
}

export async function saveGate(id: number, body: Schema<'GateSettingsDto'>): Promise<Gate> {
  const params = { path: { id } };
  return must(await api.PUT('/api/v1/assistants/{id}/publication/gate', { params, body }));
}
