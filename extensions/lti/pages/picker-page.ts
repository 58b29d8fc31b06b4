import { escaped, type Page } from './page';
import type { PageLanguage } from './page-texts';
import { PICKER_TEXTS, type PickerTexts } from './texts/picker-texts';

/** Fills the form with what the platform accepts, sends the choice, and posts the signed answer to the platform. */
const SCRIPT = `const { id, texts } = JSON.parse(document.getElementById('values').textContent);
const address = '/api/v1/lti/deep-linking/' + encodeURIComponent(id);
const form = document.getElementById('choice');
const status = document.getElementById('status');
const at = (name) => document.getElementById(name);
const fail = (text) => { status.textContent = text; status.hidden = false; };
const chosen = () => [...form.querySelectorAll('input[name=assistant]:checked')];
function follow() {
  const boxes = chosen();
  at('several').hidden = boxes.length < 2 || !form.dataset.multiple;
  at('named').hidden = !at('several').hidden && form.elements.way.value === 'separate';
  if (!form.elements.title.dataset.typed) form.elements.title.value = boxes.map((box) => box.dataset.name).join(', ').slice(0, 200);
}
fetch(address).then((answer) => answer.ok ? answer.json() : Promise.reject(answer.status)).then((found) => {
  if (found.assistants.length === 0) return fail(texts.none);
  if (found.course_title) at('course').textContent = texts.into + ': ' + found.course_title;
  if (found.multiple) form.dataset.multiple = 'true';
  at('grading').hidden = !found.line_items;
  for (const { id, name, description } of found.assistants) {
    const label = document.createElement('label');
    const box = Object.assign(document.createElement('input'), { type: 'checkbox', name: 'assistant', value: id });
    box.dataset.name = name;
    label.append(box, ' ' + name);
    if (description) label.append(Object.assign(document.createElement('small'), { textContent: description }));
    at('assistants').append(label);
  }
  form.hidden = false;
  follow();
}).catch(() => fail(texts.failed));
form.elements.title.addEventListener('input', () => { form.elements.title.dataset.typed = 'true'; });
form.addEventListener('change', follow);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const boxes = chosen();
  if (boxes.length === 0) return fail(texts.missing);
  const grades = !at('grading').hidden && form.elements.grades.checked;
  const more = grades ? { line_item: { maximum: Number(form.elements.maximum.value) } } : {};
  const reading = form.elements.reading.value;
  if (reading) more.readable_as = reading;
  const isSeparate = !at('several').hidden && form.elements.way.value === 'separate';
  const links = isSeparate
    ? boxes.map((box) => ({ title: box.dataset.name, assistants: [Number(box.value)], ...more }))
    : [{ title: form.elements.title.value, assistants: boxes.map((box) => Number(box.value)), ...more }];
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ links }) };
  fetch(address, init).then((answer) => answer.json().then((body) => answer.ok ? body : Promise.reject(body))).then((body) => {
    const back = Object.assign(document.createElement('form'), { method: 'post', action: body.return_url });
    back.append(Object.assign(document.createElement('input'), { type: 'hidden', name: 'JWT', value: body.jwt }));
    document.body.append(back);
    back.submit();
  }).catch((problem) => fail((problem && problem.detail) || texts.failed));
});`;

const radio = (name: 'way' | 'reading', value: string, text: string, checked = false): string =>
  `<label><input type="radio" name="${name}" value="${value}"${checked ? ' checked' : ''}> ${escaped(text)}</label>`;

const fields = (texts: PickerTexts): string => `
<fieldset id="assistants"><legend>${escaped(texts.assistants)}</legend></fieldset>
<fieldset id="several" hidden>${radio('way', 'together', texts.together, true)}${radio('way', 'separate', texts.separate)}</fieldset>
<p id="named"><label>${escaped(texts.linkTitle)}<br><input name="title" maxlength="200"></label></p>
<fieldset><legend>${escaped(texts.conversations)}</legend>${radio('reading', '', texts.unread, true)}
${radio('reading', 'named', texts.named)}${radio('reading', 'pseudonymous', texts.pseudonymous)}</fieldset>
<p id="grading" hidden><label><input type="checkbox" name="grades"> ${escaped(texts.grades)}</label>
<label>${escaped(texts.maximum)} <input type="number" name="maximum" value="10" min="1" max="100000" step="any"></label></p>
<p><button>${escaped(texts.add)}</button></p>`;

/** The page on which an instructor chooses assistants for a course (Deep Linking 2.0). */
export function pickerPage(id: string, { code }: PageLanguage): Page {
  const texts = PICKER_TEXTS[code] ?? PICKER_TEXTS.en;
  return {
    status: 200,
    title: texts.title,
    body: `<h1>${escaped(texts.title)}</h1><p id="course"></p><p id="status" role="alert" hidden></p>
<form id="choice" hidden>${fields(texts)}</form>`,
    script: { values: { id, texts }, code: SCRIPT },
    asksService: true,
  };
}
