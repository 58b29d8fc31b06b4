import type { Vendor } from '../../../platform/config';

export const OLLAMA_VENDOR: Vendor = {
  name: 'ollama',
  needsKey: false,
  baseUrl: null,
  environment: { baseUrl: 'OLLAMA_BASE_URL' },
};
