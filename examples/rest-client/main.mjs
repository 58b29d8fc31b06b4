// node main.mjs http://localhost:3000 bw_… 'What is a membrane?'
import { ask } from './ask.js';

const [url, key, question] = process.argv.slice(2);
console.log(await ask(url, key, question));
