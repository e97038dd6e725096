/** One part's end. */
export type Step = () => Promise<unknown>;

/** Takes what ends a part that was started; the last one that was given is run first. */
export type OnStop = (step: Step) => void;
