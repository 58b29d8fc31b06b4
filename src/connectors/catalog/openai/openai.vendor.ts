import type { Vendor } from '../../../platform/config';

export const OPENAI_VENDOR: Vendor = {
  name: 'openai',
  needsKey: true,
  baseUrl: 'https://api.openai.com/v1',
  environment: { apiKey: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' },
};
