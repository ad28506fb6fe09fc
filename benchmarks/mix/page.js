'use strict';
// Draws the figures in #data. What is chosen stands in the address, so that a view can be linked to.
(() => {
const data = JSON.parse(document.getElementById('data').textContent);
const by = (id) => document.getElementById(id);
const state = {window: 0, cost: 'money', share: 'in_line', conversation: -1, sort: '', down: false, hidden: new Set()};

// Making elements. Texts go in as text, so that no name of a file can become markup.
const svg_space = 'http://www.w3.org/2000/svg';
const svg_tags = new Set(['svg', 'g', 'path', 'line', 'rect', 'text', 'circle']);
function make(tag, attributes = {}, ...inside) {
  const made = svg_tags.has(tag) ? document.createElementNS(svg_space, tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'style') Object.assign(made.style, value);
    else if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...inside);
  return made;
}

// Figures as text.
const whole = (value) => Math.round(value).toLocaleString('en-US');
const short = (value) => {
  for (const [size, unit] of [[1e12, ' T'], [1e9, ' G'], [1e6, ' M'], [1e3, ' k']])
    if (value >= size) return Number((value / size).toPrecision(3)) + unit;
  return String(Number(value.toPrecision(3)));
};
const currency = data.currency.length > 1 ? data.currency + ' ' : data.currency;
const money = (millionths) => {
  const amount = millionths / 1e6;
  return currency + amount.toLocaleString('en-US', amount >= 100 ? {maximumFractionDigits: 0} : amount >= 1 || amount === 0
    ? {minimumFractionDigits: 2, maximumFractionDigits: 2} : {minimumFractionDigits: 4, maximumFractionDigits: 4});
};
const cents = (value) => value === null ? '–' : (100 * value).toFixed(1) + ' %';
const plural = (count, word, many = word + 's') => whole(count) + ' ' + (count === 1 ? word : many);
const clip_front = (text, most) => Array.from(text).length > most ? '…' + Array.from(text).slice(1 - most).join('') : text;
const clip = (text, most) => Array.from(text).length > most ? Array.from(text).slice(0, most - 1).join('') + '…' : text;

// Figures of a mix.
const ratio = (part, all) => all === 0 ? null : part / all;
const item_share = (mix, kind) => {
  const items = mix.items.all;
  return ratio(items[kind], items.visible + items.recoverable + items.lost);
};
// The shares that the plot shows against money: words, and the figure of a mix.
const shares = {
  in_line: ['Items in their line', (mix) => item_share(mix, 'in_line')],
  edits: ['Edits visible', (mix) => ratio(mix.edits_visible, mix.edits)],
  visible: ['Items visible', (mix) => item_share(mix, 'visible')],
  lost: ['Items lost', (mix) => item_share(mix, 'lost')],
};
const bad = (mix) => mix.over + mix.exhausted;
const tokens_of = (mix) => mix.sent + mix.model_input;
const now = () => data.windows[state.window];
const shown = () => now().mixes.map((mix, at) => ({mix, at})).filter(({at}) => !state.hidden.has(at));

// Marks: a colour, a form and a dash for each mix, so that no two differ by colour alone.
const colour = (at) => `var(--c${at % 9})`;
const dash = (at) => ['', '7 3', '2 3', '', '9 3 2 3', '5 2', '', '3 2 8 2', '12 4'][(at + Math.floor(at / 9)) % 9];
const forms = ['M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z', 'M-4.5 -4.5H4.5V4.5H-4.5Z', 'M0 -6L6 0L0 6L-6 0Z', 'M0 -6L5.5 4.5H-5.5Z', 'M0 6L5.5 -4.5H-5.5Z',
  'M-2 -6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z', 'M-6 -3H6V3H-6Z', 'M-3 -6H3V6H-3Z', 'M0 -6L5.7 -1.9L3.5 4.9H-3.5L-5.7 -1.9Z'];
// From the tenth on colours come again, each with another form and dash.
const form = (at) => forms[(at + Math.floor(at / 9)) % forms.length];
const mark = (at, hollow = false) => make('path', {d: form(at), class: hollow ? 'mark hollow' : 'mark', style: {fill: colour(at), stroke: colour(at)}});
const coloured = (element, property, at) => { element.style[property] = colour(at); return element; };
const swatch = (at) => make('svg', {width: 30, height: 14, viewBox: '-15 -7 30 14', 'aria-hidden': 'true'},
  make('line', {x1: -15, x2: 15, y1: 0, y2: 0, style: {stroke: colour(at), strokeWidth: 2, strokeDasharray: dash(at)}}), mark(at));

// Scales.
function nice_steps(low, high, count) {
  const raw = (high - low || 1) / count;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * size).find((each) => each >= raw * 0.999);
  const steps = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; ++at) steps.push(at * step || 0);  // no -0
  return {step, steps};
}
function linear(low, high, from, to, count) {
  const {step} = nice_steps(low, high, count);
  const first = Math.floor(low / step + 1e-9) * step;
  const last = Math.max(Math.ceil(high / step - 1e-9), first / step + 1) * step;
  const scale = (value) => from + (value - first) / (last - first) * (to - from);
  scale.ticks = nice_steps(first, last, count).steps;
  scale.last = last;
  return scale;
}
function logarithmic(low, high, from, to) {
  const fit = (value, up) => {
    const size = 10 ** Math.floor(Math.log10(value) + 1e-12);
    const sizes = [1, 2, 5, 10].map((factor) => factor * size);
    return up ? sizes.find((each) => each >= value * 0.999) : sizes.reverse().find((each) => each <= value * 1.001);
  };
  const first = Math.log10(fit(low, false)), last = Math.log10(fit(high, true));
  const scale = (value) => from + (Math.log10(value) - first) / (last - first || 1) * (to - from);
  scale.ticks = [];
  for (let power = Math.floor(first); power <= Math.ceil(last); ++power)
    for (const factor of [1, 2, 5]) {
      const tick = factor * 10 ** power;
      if (Math.log10(tick) >= first - 1e-9 && Math.log10(tick) <= last + 1e-9) scale.ticks.push(tick);
    }
  scale.log = true;
  return scale;
}
const measure = document.createElement('canvas').getContext('2d');
function text_width(text) {
  measure.font = '12px ' + getComputedStyle(document.body).fontFamily;
  return Math.ceil(measure.measureText(text).width);
}

// A hint beside what is pointed at or has the focus.
function hint(target, text) {
  const show = () => {
    const tip = by('tip'), box = target.getBoundingClientRect();
    tip.textContent = text;
    tip.hidden = false;
    const left = Math.min(box.right + 8, document.documentElement.clientWidth - tip.offsetWidth - 8);
    const above = box.top > tip.offsetHeight + 12;
    tip.style.left = Math.max(8, left) + window.scrollX + 'px';
    tip.style.top = (above ? box.top - tip.offsetHeight - 8 : box.bottom + 8) + window.scrollY + 'px';
  };
  const hide = () => { by('tip').hidden = true; };
  for (const event of ['pointerenter', 'focus']) target.addEventListener(event, show);
  for (const event of ['pointerleave', 'blur']) target.addEventListener(event, hide);
  return target;
}

function frame(id, height, attributes) {
  const place = by(id);
  const width = Math.max(280, place.clientWidth);
  const plot = make('svg', {width, height, viewBox: `0 0 ${width} ${height}`, ...attributes});
  place.replaceChildren(plot);
  return {plot, width, height};
}
function empty(id, text) { by(id).replaceChildren(make('p', {class: 'empty'}, text)); }
const line = (x1, y1, x2, y2, kind) => make('line', {x1, y1, x2, y2, class: kind});
const write = (x, y, text, anchor = 'start', kind = 'soft') => make('text', {x, y, 'text-anchor': anchor, class: kind}, text);

const none_chosen = 'No mix is chosen.';

// Cost against what later answers could still see.
function draw_pareto() {
  const cost = state.cost === 'money' ? {name: 'Money', of: (mix) => mix.money, text: money, tick: (value) => money(value).replace(/(\.\d\d)0+$/, '$1')}
    : {name: 'Tokens sent', of: tokens_of, text: whole, tick: short};
  const lost = state.share === 'lost';
  by('pareto-title').textContent = `${cost.name} against the share of ${shares[state.share][0].toLowerCase()}`;
  const points = shown().map(({mix, at}) => ({mix, at, x: cost.of(mix), y: shares[state.share][1](mix)})).filter(({y}) => y !== null);
  by('pareto-note').textContent = '';
  if (shown().length === 0) return empty('pareto', none_chosen);
  if (points.length === 0) return empty('pareto', 'No answer took an item from earlier messages, so there is nothing to weigh.');
  const {plot, width, height} = frame('pareto', 420, {role: 'group', 'aria-label': `${by('pareto-title').textContent}: ${plural(points.length, 'mark')}`});
  const left = 58, right = width - 16, top = 34, bottom = height - 50;
  // Those that do not fit are no choice, so they stretch no axis: beyond it they stand at its end.
  const fit = points.filter(({mix}) => bad(mix) === 0);
  const scaled = fit.length === 0 ? points : fit;
  const costs = scaled.map(({x}) => x), most = Math.max(...costs), least = Math.min(...costs);
  const across = least > 0 && most / least > 4 ? logarithmic(least, most, left, right) : linear(0, most || 1, left, right, width < 500 ? 4 : 7);
  const shares = scaled.map(({y}) => 100 * y);
  // At least five points of a hundred, so that small differences look small, and a little below the lowest mark.
  const lowest = Math.max(0, Math.min(...shares, Math.max(...shares) - 5) - 0.5);
  const up = linear(lowest, Math.min(100, Math.max(...shares, lowest + 5) + 0.5), bottom, top, 6);
  for (const one of points) {
    const x = across(one.x), y = up(100 * one.y);
    one.px = Math.max(left, Math.min(right, x));
    one.py = Math.max(top, Math.min(bottom, y));
    one.beyond = (y < top - 1 ? '↑' : y > bottom + 1 ? '↓' : '') + (x > right + 1 ? '→' : x < left - 1 ? '←' : '');
  }
  for (const tick of up.ticks) plot.append(line(left, up(tick), right, up(tick), 'grid'), write(left - 8, up(tick) + 4, Number(tick.toFixed(6)) + ' %', 'end'));
  plot.append(line(left, bottom, right, bottom, 'axis'), write(0, 12, shares[state.share][0]));
  let free = -Infinity;
  for (const tick of across.ticks) {
    const text = cost.tick(tick), half = text_width(text) / 2;
    plot.append(line(across(tick), bottom, across(tick), bottom + 5, 'axis'));
    if (across(tick) - half < free) continue;
    free = across(tick) + half + 6;
    plot.append(write(Math.min(across(tick), width - half), bottom + 19, text, 'middle'));
  }
  const scope = ` for ${plural(data.conversations, 'conversation')}` + (across.log ? ', logarithmic' : '');
  plot.append(write((left + right) / 2, height - 8, (state.cost === 'money' ? `Money (${data.currency})` : 'Tokens sent') + scope, 'middle', ''));

  const better = (one, other) => lost ? one < other : one > other;
  const front = fit.filter((one) => !fit.some((other) => (other.x <= one.x && better(other.y, one.y)) || (other.x < one.x && other.y === one.y)))
    .sort((one, other) => one.x - other.x);
  by('pareto-note').textContent = `Best is at the ${lost ? 'bottom' : 'top'} left. ` + (front.length > 1
    ? 'The line joins the mixes that no other beats, of those whose requests all fit. '
    : front.length === 1 ? `No mix whose requests all fit is better in either than “${clip(front[0].mix.mix, 40)}”. ` : '') +
    (fit.length < points.length ? 'Hollow marks: some requests did not fit; those at an edge of the plot may lie beyond it, as their hints say. ' : '') + (state.cost === 'tokens' ? 'Tokens that layers sent to models are counted.' : '');
  if (front.length > 1) plot.append(make('path', {class: 'front', d: front.map(({x, y}, at) => `${at ? 'L' : 'M'}${across(x)} ${up(100 * y)}`).join('')}));

  // Names find the nearest free place; those that had to move get a line to their mark.
  const taken = points.map(({px, py}) => ({left: px - 7, right: px + 7, top: py - 7, bottom: py + 7}));
  const places = [];
  for (let ring = 0; ring < 12; ++ring)
    for (const [side, step] of [[1, 0], [-1, 0], [1, -1], [1, 1], [-1, -1], [-1, 1], [0, -1], [0, 1]])
      if (ring === 0 || step !== 0) places.push([side, ring === 0 ? step * 14 : step * (8 + 13 * ring)]);
  const names = [];
  const named = [];
  for (const {mix, at, px, py, beyond, y} of points) {
    const name = clip(mix.mix, 24), full = name + (beyond ? ` ${beyond} ${cost.tick(cost.of(mix))}, ${cents(y)}` : '');
    const near = named.find((one) => Math.hypot(one.px - px, one.py - py) < 4);
    if (near) near.all.push({name, full});
    else named.push({px, py, at, all: [{name, full}]});
  }
  for (const {px, py, at, all} of named.sort((one, other) => one.py - other.py)) {
    // Without a place for its figures a mark has its name alone, without one for that none: the hint says all.
    const texts = ['full', 'name'].map((kind) => all.length < 3 ? all.map((each) => each[kind]).join(', ') : `${all[0][kind]} and ${all.length - 1} more`);
    const free_at = (text, [side, shift]) => {
      const wide = text_width(text);
      const start = side > 0 ? px + 11 : side < 0 ? px - 11 - wide : px - wide / 2;
      const box = {left: start, right: start + wide, top: py + shift - 7, bottom: py + shift + 7};
      // The line to its mark, as small boxes; those at the mark itself are left out.
      const middle = py + shift, end = box.left > px ? box.left - 2 : box.right < px ? box.right + 2 : px;
      const leader = Math.abs(shift) <= 6 ? [] : Array.from({length: 15}, (_, step) => (step + 1) / 16).map((part) => [px + part * (end - px), py + part * (middle - py)])
        .filter(([x, y]) => Math.hypot(x - px, y - py) > 10).map(([x, y]) => ({left: x - 1, right: x + 1, top: y - 1, bottom: y + 1}));
      const free = [box, ...leader].every((one) => !taken.some((other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom));
      return free && box.left >= left - 10 && box.right <= width && box.top >= 0 && box.bottom <= bottom - 2 ? {text, box, middle, end, leader} : null;
    };
    const place = texts.flatMap((text) => places.map((each) => [text, each])).map(([text, each]) => free_at(text, each)).find((each) => each);
    if (!place) continue;
    taken.push(place.box, ...place.leader);
    if (Math.abs(place.middle - py) > 6) names.push(coloured(line(px, py, place.end, place.middle, 'leader'), 'stroke', at));
    names.push(coloured(write(place.box.left, place.middle + 4, place.text, 'start', 'name'), 'fill', at));
  }
  plot.append(...names);
  for (const {mix, at, x, y, px, py} of points) {
    const text = `${mix.mix}\n${cost.name}: ${cost.text(x)}\n${shares[state.share][0]}: ${cents(y)}\n` +
      (bad(mix) === 0 ? 'All requests fit' : `${plural(bad(mix), 'request')} of ${whole(mix.requests)} did not fit`);
    plot.append(hint(make('g', {transform: `translate(${px} ${py})`, tabindex: 0, role: 'img', 'aria-label': text.replaceAll('\n', '; ')},
      make('rect', {x: -11, y: -11, width: 22, height: 22, fill: 'transparent'}), mark(at, bad(mix) !== 0)), text));
  }
}

// Tokens of each request.
let cross_at = null;
function draw_course() {
  const one = data.longest[state.conversation];
  const curves = shown().map(({mix, at}) => ({at, name: mix.mix, fits: bad(mix) === 0, values: one ? one.windows[state.window].mixes[at].turns : mix.along.sent}))
    .filter(({values}) => values.length !== 0);
  by('course-readout').textContent = 'Point at the plot, or move along it with the arrow keys, to read values.';
  by('course-legend').replaceChildren();
  if (curves.length === 0) {
    by('course-readout').textContent = '';
    return empty('course', shown().length === 0 ? none_chosen : 'There are no requests to show.');
  }
  const steps = Math.max(...curves.map(({values}) => values.length));
  const limit = now().window;
  const narrow = by('course').clientWidth < 560;
  const most = Math.max(limit, ...curves.filter(({fits}) => fits).flatMap(({values}) => values));
  const {plot, width, height} = frame('course', 380, {role: 'img', tabindex: 0});
  const left = 58, top = 34, bottom = height - 50;
  const right = width - (narrow ? 14 : 28 + Math.max(...curves.map(({name}) => text_width(clip(name, 20)))));
  const up = linear(0, most, bottom, top, 6);
  const across = (at) => steps === 1 ? (left + right) / 2 : left + at / (steps - 1) * (right - left);
  for (const tick of up.ticks) plot.append(line(left, up(tick), right, up(tick), 'grid'), write(left - 8, up(tick) + 4, short(tick), 'end'));
  const count = one ? one.requests : 100;
  const ticks = one ? nice_steps(1, count, narrow ? 4 : 8).steps.filter((tick) => Number.isInteger(tick)) : [0, 25, 50, 75, 100];
  const place = (tick) => one ? (count === 1 ? (left + right) / 2 : left + (tick - 1) / (count - 1) * (right - left)) : left + tick / 100 * (right - left);
  plot.append(line(left, bottom, right, bottom, 'axis'));
  for (const tick of ticks)
    plot.append(line(place(tick), bottom, place(tick), bottom + 5, 'axis'), write(Math.min(place(tick), width - 18), bottom + 19, whole(tick) + (one ? '' : ' %'), 'middle'));
  plot.append(write((left + right) / 2, height - 8, one ? 'Request' : 'Part of the conversation', 'middle', ''));
  plot.append(line(left, up(limit), right, up(limit), 'limit'), write(0, 12, 'Tokens'));

  // What leaves the plot says how far it goes.
  const over = [];
  const ends = [];
  for (const {at, name, values} of curves) {
    let path = '', outside = true;
    const x = (step) => values.length === 1 ? (left + right) / 2 : left + step / (values.length - 1) * (right - left);
    values.forEach((value, step) => {
      const previous = values[step - 1];
      if (value <= up.last) {
        if (outside && step > 0) path += `M${x(step - (up.last - value) / (previous - value))} ${top}`;
        path += `${path === '' || (outside && step === 0) ? 'M' : 'L'}${x(step)} ${up(value)}`;
        outside = false;
      } else {
        if (!outside) path += `L${x(step - (value - up.last) / (value - previous))} ${top}`;
        outside = true;
      }
    });
    if (values.length === 1) path += 'h.01';
    plot.append(make('path', {class: 'curve', d: path, style: {stroke: colour(at), strokeDasharray: dash(at)}}));
    const last = values[values.length - 1];
    const peak = Math.max(...values);
    if (peak > up.last) over.push(`${clip(name, 20)} ${short(peak)}`);
    if (last <= up.last) {
      const end = make('g', {transform: `translate(${x(values.length - 1)} ${up(last)})`}, mark(at));
      plot.append(end);
      ends.push({at, name: clip(name, 20), y: up(last), from: up(last)});
    } else ends.push({at, name: clip(name, 20) + ' ↑', y: top, from: null});
  }
  if (!narrow) {
    ends.sort((one_end, other) => one_end.y - other.y);
    for (let round = 0; round < 60; ++round)
      for (let at = 1; at < ends.length; ++at) {
        const need = 14 - (ends[at].y - ends[at - 1].y);
        if (need <= 0) continue;
        ends[at].y = Math.min(bottom, ends[at].y + need / 2);
        ends[at - 1].y = Math.max(top - 8, ends[at - 1].y - need / 2);
      }
    for (const end of ends) {
      if (end.from !== null) plot.append(coloured(line(right + 6, end.from, right + 20, end.y, 'leader'), 'stroke', end.at));
      plot.append(coloured(write(right + 22, end.y + 4, end.name, 'start', 'name'), 'fill', end.at));
    }
  } else by('course-legend').replaceChildren(...curves.map(({at, name}) => make('li', {}, swatch(at), clip(name, 40))));
  plot.append(write(left + 6, up(limit) - 5, `window: ${whole(limit)}`, 'start', 'name'));
  if (over.length !== 0) plot.append(write(right, 12, clip('up to ' + over.join(', ') + ' ↑', Math.floor((right - left) / 7)), 'end'));
  const title = one ? `Tokens of each request of ${clip_front(one.name, 80)}` : `Tokens per request, averaged over ${plural(data.conversations, 'conversation')}`;
  plot.setAttribute('aria-label', `${title}. ` + curves.map(({name, values}) =>
    `${name}: at most ${whole(Math.max(...values))}, at the end ${whole(values[values.length - 1])}`).join('. ') + '. Left and right arrows read single values.');

  const cross = line(0, top, 0, bottom, 'cross');
  cross.setAttribute('visibility', 'hidden');
  plot.append(cross);
  const read = (step) => {
    cross_at = Math.max(0, Math.min(steps - 1, step));
    cross.setAttribute('visibility', 'visible');
    cross.setAttribute('x1', across(cross_at));
    cross.setAttribute('x2', across(cross_at));
    const spot = steps === 1 ? 1 : cross_at / (steps - 1);
    const where = !one ? `At ${Math.round(100 * spot)} %` : steps === count ? `Request ${cross_at + 1}` : `About request ${Math.round(1 + spot * (count - 1))}`;
    by('course-readout').replaceChildren(make('span', {}, where + ':'), ...curves.map(({at, name, values}) => make('span', {},
      swatch(at), ` ${clip(name, 20)} ${whole(values[Math.min(values.length - 1, Math.round(spot * (values.length - 1)))])}`)));
  };
  plot.addEventListener('pointermove', (event) => {
    const x = (event.clientX - plot.getBoundingClientRect().left) * width / plot.getBoundingClientRect().width;
    read(Math.round((x - left) / (right - left) * (steps - 1)));
  });
  plot.addEventListener('keydown', (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity}[event.key];
    if (step === undefined) return;
    event.preventDefault();
    read(cross_at === null ? 0 : cross_at + step);
  });
}

// One bar for each mix; parts are [{size, fill, text}].
function draw_bars(id, bars, most, label, ticks, tick_text) {
  if (bars.length === 0) return empty(id, none_chosen);
  const narrow = by(id).clientWidth < 560;
  const row = narrow ? 40 : 26;
  const {plot, width, height} = frame(id, bars.length * row + 34, {role: 'img',
    'aria-label': label + ' ' + bars.map((bar) => `${bar.name}: ${bar.spoken}`).join('. ')});
  const left = narrow ? 4 : 20 + Math.max(...bars.map(({name}) => text_width(clip(name, 24))));
  const right = width - 12 - Math.max(...bars.map(({value}) => text_width(value)));
  const across = (value) => left + (most === 0 ? 0 : value / most) * (right - left);
  for (const tick of ticks(right - left)) plot.append(line(across(tick), 4, across(tick), height - 28, 'grid'),
    write(across(tick), height - 12, tick_text(tick), across(tick) < 30 ? 'start' : 'middle'));
  bars.forEach((bar, at) => {
    const top = at * row + (narrow ? 20 : 6);
    plot.append(narrow ? write(left, top - 5, clip(bar.name, 40), 'start', 'name') : write(left - 10, top + 13, clip(bar.name, 24), 'end', ''));
    let begin = 0;
    for (const part of bar.parts) {
      if (part.size > 0) plot.append(hint(make('rect', {x: across(begin), y: top, width: Math.max(0.5, across(begin + part.size) - across(begin)),
        height: 17, class: 'gap', style: {fill: part.fill}}), part.text));
      begin += part.size;
    }
    plot.append(write(across(begin) + 6, top + 13, bar.value, 'start', ''));
  });
}

const layer_names = [...new Set(data.windows.flatMap(({mixes}) => mixes.flatMap(({layers}) => layers.filter(({saved}) => saved > 0).map(({name}) => name))))];
const layer_fill = (name) => `var(--l${layer_names.indexOf(name) % 8})`;
function draw_layers() {
  const bars = shown().map(({mix}) => {
    const sums = new Map();
    for (const {name, saved} of mix.layers) if (saved > 0) sums.set(name, (sums.get(name) ?? 0) + saved);
    const all = [...sums.values()].reduce((sum, each) => sum + each, 0);
    return {name: mix.mix, value: short(all), all, spoken: [...sums].map(([name, saved]) => `${name} ${whole(saved)}`).join(', ') || 'nothing',
      names: [...sums.keys()], parts: [...sums].map(([name, saved]) => ({size: saved, fill: layer_fill(name), text: `${mix.mix}\n${name}: ${whole(saved)} tokens`}))};
  });
  const used = layer_names.filter((name) => bars.some(({names}) => names.includes(name)));
  by('layers-legend').replaceChildren(...used.map((name) => make('li', {},
    make('svg', {width: 12, height: 12, 'aria-hidden': 'true'}, make('rect', {width: 12, height: 12, style: {fill: layer_fill(name)}})), clip(name, 40))));
  // Layers by their place in the mix: two may have one name.
  const rows = shown().filter(({mix}) => mix.layers.length !== 0).map(({mix, at}) => {
    const layers = mix.layers.map(({name, prefix_breaks}, index) => ({label: `${index + 1} ${clip(name, 40)}`, prefix_breaks}));
    const breaks = layers.filter(({prefix_breaks}) => prefix_breaks > 0).map(({label, prefix_breaks}) => `${label}: ${whole(prefix_breaks)}`);
    return make('tr', {}, make('th', {scope: 'row'}, swatch(at), clip(mix.mix, 40)),
      ...[layers.map(({label}) => label).join(', '), breaks.join(', ') || '–'].map((text) => make('td', {class: 'words'}, text)));
  });
  const heads = ['mix', 'its layers, in their order', 'runs that broke the cached prefix'].map((title) => make('th', {scope: 'col'}, title));
  by('layers-table').replaceChildren(...rows.length === 0 ? [] : [make('thead', {}, make('tr', {}, ...heads)), make('tbody', {}, ...rows)]);
  const most = Math.max(0, ...bars.map(({all}) => all));
  if (bars.length !== 0 && most === 0) return empty('layers', 'No layer took anything out.');
  draw_bars('layers', bars, most, 'Tokens taken out by each layer.', (room) => nice_steps(0, most, Math.max(2, room / 110)).steps, short);
}

function draw_cache() {
  const bars = shown().map(({mix, at}) => {
    const share = ratio(mix.cached, mix.sent);
    return {name: mix.mix, value: cents(share), spoken: cents(share), parts: [{size: share ?? 0, fill: colour(at),
      text: `${mix.mix}\n${whole(mix.cached)} of ${whole(mix.sent)} tokens\n${whole(mix.hits)} of ${plural(mix.requests, 'request')} began with all of the one before`}]};
  });
  draw_bars('cache', bars, 1, 'Share of tokens read from the prompt cache.', () => [0, 0.25, 0.5, 0.75, 1], (tick) => 100 * tick + ' %');
}

// The table.
const columns = [
  ['mix', 'mix', (mix) => mix.mix, (text) => clip(text, 40)],
  ['fit', 'requests that fit', (mix) => ratio(mix.requests - bad(mix), mix.requests), cents],
  ['sent', 'tokens sent', (mix) => mix.sent, whole],
  ['peak', 'largest request', (mix) => mix.peak, whole],
  ['money', 'money', (mix) => mix.money, money],
  ['visible', 'items visible', (mix) => item_share(mix, 'visible'), cents],
  ['recoverable', 'recoverable', (mix) => item_share(mix, 'recoverable'), cents],
  ['lost', 'lost', (mix) => item_share(mix, 'lost'), cents],
  ['labelled', 'with label', (mix) => item_share(mix, 'labelled'), cents],
  ['in_line', 'in their line', (mix) => item_share(mix, 'in_line'), cents],
  ['edits', 'edits visible', (mix) => ratio(mix.edits_visible, mix.edits), cents],
  ['tasks', 'task visible', (mix) => ratio(mix.tasks_visible, mix.tasks), cents],
  ['words', 'words of the user', (mix) => ratio(mix.words_visible, mix.words), cents],
  ['actions', 'actions named', (mix) => ratio(mix.actions_visible, mix.actions), cents],
  ['gap', 'gap closed', (mix) => mix.gap_closed, cents],
  ['cached', 'cached', (mix) => ratio(mix.cached, mix.sent), cents],
  ['hits', 'cache hits', (mix) => ratio(mix.hits, mix.requests), cents],
  ['reductions', 'runs that reduced', (mix) => mix.reductions, whole],
  ['model_calls', 'model calls', (mix) => mix.model_calls, whole],
  ['model_failures', 'failed calls', (mix) => mix.model_failures, whole],
  ['model_tokens', 'tokens of these', (mix) => mix.model_input + mix.model_output, whole],
  ['model_money', 'money for these', (mix) => mix.model_money, money],
  ['time', 'processor time per request', (mix) => ratio(mix.nanoseconds / 1e6, mix.requests), (value) => value === null ? '–' : value.toFixed(2) + ' ms'],
  ['violations', 'violations', (mix) => mix.violations, whole],
];
function draw_table() {
  const rows = shown();
  const column = columns.find(([key]) => key === state.sort);
  if (column) {
    const value = ({mix}) => column[2](mix);
    rows.sort((one, other) => {
      const [left, right] = [value(one), value(other)];
      if (left === null || right === null) return (left === null) - (right === null);
      return (typeof left === 'string' ? left.localeCompare(right) : left - right) * (state.down ? -1 : 1);
    });
  }
  const focused = document.activeElement?.dataset?.column;
  const heads = columns.map(([key, title]) => make('th', {scope: 'col', 'aria-sort': state.sort !== key ? false : state.down ? 'descending' : 'ascending'},
    make('button', {type: 'button', 'data-column': key, onclick: () => {
      state.down = state.sort === key ? !state.down : key !== 'mix';
      state.sort = key;
      settle(draw_table);
    }}, title)));
  const lines = rows.map(({mix, at}) => make('tr', {}, ...columns.map(([key, , value, text]) => key === 'mix'
    ? make('th', {scope: 'row'}, swatch(at), text(value(mix))) : make('td', {}, text(value(mix))))));
  by('table').replaceChildren(make('thead', {}, make('tr', {}, ...heads)), make('tbody', {}, ...lines.length === 0 ? [make('tr', {}, make('td', {colspan: columns.length}, none_chosen))] : lines));
  if (focused) by('table').querySelector(`[data-column="${focused}"]`)?.focus();
}

function draw() {
  by('tip').hidden = true;
  draw_pareto();
  draw_course();
  draw_layers();
  draw_cache();
  draw_table();
}

// The address: #window=8000&cost=tokens&share=lost&conversation=2&sort=money&down=1&hide=none
function settle(then) {
  const parts = [`window=${now().window}`, `cost=${state.cost}`, `share=${state.share}`];
  if (state.conversation >= 0) parts.push(`conversation=${state.conversation + 1}`);
  if (state.sort) parts.push(`sort=${state.sort}`, `down=${state.down ? 1 : 0}`);
  for (const at of state.hidden) parts.push(`hide=${encodeURIComponent(data.mixes[at])}`);
  try { history.replaceState(null, '', '#' + parts.join('&')); } catch { /* a page without an address of its own */ }
  then();
}
function read_address() {
  const given = new URLSearchParams(location.hash.slice(1));
  const window_at = data.windows.findIndex(({window}) => String(window) === given.get('window'));
  if (window_at >= 0) state.window = window_at;
  if (['money', 'tokens'].includes(given.get('cost'))) state.cost = given.get('cost');
  if (Object.hasOwn(shares, given.get('share') ?? '')) state.share = given.get('share');
  const conversation = Number(given.get('conversation') ?? 0);
  if (Number.isInteger(conversation) && conversation <= data.longest.length) state.conversation = conversation - 1;
  if (columns.some(([key]) => key === given.get('sort'))) state.sort = given.get('sort');
  state.down = given.get('down') === '1';
  for (const name of given.getAll('hide')) if (data.mixes.includes(name)) state.hidden.add(data.mixes.indexOf(name));
}

function radios(id, name, choices, chosen, choose) {
  by(id).append(...choices.map(([value, text]) => make('label', {},
    make('input', {type: 'radio', name, value, checked: value === chosen, onchange: () => { choose(value); settle(draw); }}), text)));
}

// How much the shares of the page are of.
function needed() {
  const mix = data.windows[0]?.mixes[0];
  if (mix === undefined) return '';
  const {visible, recoverable, lost} = mix.items.all;
  const edited = data.longest.map(({name, windows}) => ({name, edits: windows[0]?.mixes[0]?.edits ?? 0}))
    .filter(({edits}) => edits > 0).sort((a, b) => b.edits - a.edits).slice(0, 3)
    .map(({name, edits}) => `${whole(edits)} in ${clip_front(name, 40)}`);
  return ` Answers needed ${plural(visible + recoverable + lost, 'item')} and ${plural(mix.edits, 'old text')} of edits` +
    (edited.length === 0 ? '.' : `, ${edited.join(', ')}.`);
}

function begin() {
  by('summary').textContent = plural(data.conversations, 'conversation') + (data.windows[0]?.mixes[0] ? ` with ${plural(data.windows[0].mixes[0].requests, 'request')}` : '') + ` replayed under ${plural(data.mixes.length, 'mix', 'mixes')}` +
    (data.summariser === null ? '.' : `, summaries by ${clip(data.summariser, 80)}.`) + needed();
  if (data.skipped !== 0) {
    by('skipped').hidden = false;
    by('skipped').querySelector('summary').textContent = `${plural(data.skipped, 'conversation')} could not be read`;
    by('skipped').querySelector('ul').append(...data.first_skipped.map(({name, reason}) => make('li', {}, make('bdi', {}, clip(name, 200)), ': ' + reason)));
    if (data.skipped > data.first_skipped.length) by('skipped').querySelector('ul').append(make('li', {}, `and ${whole(data.skipped - data.first_skipped.length)} more`));
  }
  if (data.conversations === 0) return;
  const broken = data.windows.flatMap(({window, mixes}) => mixes.filter(({violations}) => violations > 0).map((mix) => ({window, mix})));
  if (broken.length !== 0) {
    by('alarm').hidden = false;
    by('alarm').append(...broken.flatMap(({window, mix}) => [make('p', {}, `${mix.mix} under ${whole(window)} tokens: ${plural(mix.violations, 'law violation')}`),
      make('ul', {}, ...mix.first_violations.map((text) => make('li', {}, clip(text, 300))))]));
  }
  by('prices').textContent = ['input', 'cached', 'written', 'output'].map((kind) => `${money(data.prices[kind])} ${kind}`).join(', ') + ' for a million tokens';
  read_address();
  radios('windows', 'window', data.windows.map(({window}, at) => [at, whole(window)]), state.window, (at) => { state.window = at; });
  radios('costs', 'cost', [['money', 'money'], ['tokens', 'tokens sent']], state.cost, (cost) => { state.cost = cost; });
  radios('shares', 'share', Object.entries(shares).map(([key, [words]]) => [key, words.toLowerCase()]), state.share, (share) => { state.share = share; });
  by('mixes').append(...data.mixes.map((name, at) => make('label', {}, make('input', {type: 'checkbox', checked: !state.hidden.has(at), onchange: (event) => {
    if (event.target.checked) state.hidden.delete(at);
    else state.hidden.add(at);
    settle(draw);
  }}), swatch(at), clip(name, 40))));
  by('conversation').append(make('option', {value: -1}, data.conversations === 1 ? 'the conversation' : `all ${whole(data.conversations)} conversations, on average`),
    ...data.longest.map(({name, requests}, at) => make('option', {value: at}, `${clip_front(name, 80)} (${plural(requests, 'request')})`)));
  by('conversation').value = state.conversation;
  by('conversation').addEventListener('change', (event) => {
    state.conversation = Number(event.target.value);
    cross_at = null;
    settle(draw_course);
  });
  by('controls').addEventListener('submit', (event) => event.preventDefault());
  document.addEventListener('keydown', (event) => { if (event.key === 'Escape') by('tip').hidden = true; });
  document.querySelector('main').hidden = false;
  draw();
  let width = document.documentElement.clientWidth;
  window.addEventListener('resize', () => {
    if (document.documentElement.clientWidth === width) return;
    width = document.documentElement.clientWidth;
    draw();
  });
}
begin();
document.documentElement.dataset.ready = 'yes';
})();
