// node bench/publish.mjs <run…>: shows kept runs of the same service in bench/README.md, and their figures in the guide.
// node bench/publish.mjs --check: exit code 1 and the names of pages that show something else than the runs measured.
import { outdated, publish } from './lib/results.mjs';

const words = process.argv.slice(2);
if (words.length === 0) {
  console.error('Name kept runs of bench/results, or --check.');
  process.exit(2);
}
if (words[0] === '--check') {
  const pages = await outdated();
  for (const page of pages) console.error(`${page} does not show what was measured: node bench/publish.mjs <run…>`);
  process.exit(pages.length === 0 ? 0 : 1);
}
await publish(words);
