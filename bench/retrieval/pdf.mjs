// How long a 200-page PDF takes from its upload until it answers, and the most memory meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { figure, plainTable } from '../lib/report.mjs';
import { oneLanguage } from './speed.mjs';
import { passages } from './passages.mjs';

const PAGES = 200;
const PASSAGES_PER_PAGE = 2;

async function makePdf(collections) {
  const { default: PdfDocument } = await import('pdfkit');
  const pdf = new PdfDocument({ size: 'A4', autoFirstPage: false });
  const parts = [];
  const done = new Promise((resolve) => pdf.on('data', (part) => parts.push(part)).on('end', resolve));
  const text = passages(collections, PAGES * PASSAGES_PER_PAGE);
  for (let page = 1; page <= PAGES; page++) {
    pdf.addPage();
    if (page % 10 === 1)
      pdf
        .fontSize(18)
        .text(`Chapter ${Math.ceil(page / 10)}`)
        .moveDown();
    pdf.fontSize(10);
    for (let part = 0; part < PASSAGES_PER_PAGE; part++) pdf.text(text.next().value).moveDown();
  }
  pdf.end();
  await done;
  return Buffer.concat(parts);
}

export async function run({ service, collections, load }) {
  const same = oneLanguage(collections);
  const bytes = await makePdf(same);
  const base = await service.create({ name: 'PDF', language: same[0].language });
  let [peak, watching] = [service.memoryMb(), true];
  const watch = (async () => {
    for (; watching; await sleep(50)) peak = Math.max(peak, service.memoryMb());
  })();
  const seconds = await service.ingest(base.id, [['book.pdf', bytes]]);
  watching = false;
  await watch;
  const { items } = await service.call('GET', `/api/v1/knowledge-bases/${base.id}/documents?limit=1`);
  return plainTable(
    ['PDF pages', 'MB', 'chunks', 'seconds', 'peak RSS MB, all processes', 'load'],
    [[PAGES, figure(bytes.length / 1e6), items[0].chunk_count, figure(seconds), figure(peak), load()]],
  );
}
