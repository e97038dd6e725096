/** The mark: the letter H, whose two posts are held together by a ring. On a grid of 32 by 32. */
const strokes =
  '<g fill="none" stroke-width="3.2" stroke-linecap="round"><path d="M7.2 5.5v21M24.8 5.5v21"/><circle cx="16" cy="16" r="5.3"/><path d="M7.2 16h3.5M21.3 16h3.5"/></g>';

/** On a tile of the accent: for tabs of browsers and home screens, whatever their background is. */
export const tileMark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7.5" fill="#0f5f66"/><g stroke="#eaf6f5" transform="translate(4 4) scale(.75)">${strokes}</g></svg>`;

/** In the colour of the text around it, to be put into a page. */
export const inlineMark = `<svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" stroke="currentColor">${strokes}</svg>`;
