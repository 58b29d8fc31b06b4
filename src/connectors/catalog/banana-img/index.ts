export { BananaImgConnector } from './banana-img.connector';
