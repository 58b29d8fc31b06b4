import type { Vendor } from '../../../infrastructure/config';

export const GOOGLE_VENDOR: Vendor = {
  name: 'google',
  needsKey: true,
  baseUrl: 'https://generativelanguage.googleapis.com',
  environment: { apiKey: 'GOOGLE_API_KEY', baseUrl: 'GOOGLE_BASE_URL' },
};
