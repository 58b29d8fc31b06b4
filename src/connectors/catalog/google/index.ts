export { BANANA_IMG } from './banana-img.connector';
export { GOOGLE } from './google.connector';
