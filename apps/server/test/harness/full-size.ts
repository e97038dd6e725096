/** With `FULL_SIZE=1` some slow tests take the size that they promise, which is minutes of work. */
export const isFullSize = process.env.FULL_SIZE === '1';
