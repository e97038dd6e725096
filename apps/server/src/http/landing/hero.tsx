/** @jsxImportSource hono/jsx */

/** What Holdfast is, how to begin, and a picture of what it does on a bad day. */
export const Hero = () => (
  <section class="hero">
    <div class="hero-text">
      <h1>Your community survives its worst day.</h1>
      <p class="lead">
        Holdfast checks who comes into your server, stops whoever attacks it, restores what they
        destroyed and brings back the members who agreed to it. Every backup is test-restored, so
        you know beforehand that it works.
      </p>
      <p class="actions">
        <a class="button" href="/login?next=/dashboard">
          Sign in to protect a server
        </a>
        <a class="button plain" href="#owners">
          See what it does
        </a>
      </p>
      <p class="quiet">
        A server asked you to verify? <a href="/me">See what is kept about you</a>.
      </p>
    </div>
    <Attack />
  </section>
);

type Channel = { name: string; isLost?: boolean };

const categories: { name: string; channels: Channel[] }[] = [
  { name: 'Welcome', channels: [{ name: 'rules' }, { name: 'news', isLost: true }] },
  {
    name: 'Talk',
    channels: [
      { name: 'general', isLost: true },
      { name: 'pictures', isLost: true },
      { name: 'off-topic' },
    ],
  },
];

const course = [
  ['bad', 'A stolen moderator account deletes three channels'],
  ['held', 'Holdfast takes its roles and pauses invites'],
  ['held', 'You are told, with everything that was done'],
  ['good', 'Repair: three channels are back, with their permissions'],
];

/** An attack and its repair, as the pages of an incident and of a restore show them. */
const Attack = () => (
  <figure class="attack">
    <div class="tree" aria-hidden="true">
      {categories.map(({ name, channels }) => (
        <>
          <p>{name}</p>
          <ul>
            {channels.map((channel) => (
              <li class={channel.isLost ? 'lost' : undefined}>
                <span>{channel.name}</span>
                {channel.isLost && <em>restored</em>}
              </li>
            ))}
          </ul>
        </>
      ))}
    </div>
    <ol class="course">
      {course.map(([tone, text]) => (
        <li class={tone}>{text}</li>
      ))}
    </ol>
    <figcaption class="unseen">How an attack ends: stopped, reported and repaired.</figcaption>
  </figure>
);
