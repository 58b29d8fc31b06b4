export { FreshCache } from './fresh-cache';
