import { PageHead } from '../../parts/page-head.tsx';

export const Bots = () => <PageHead title="Bots" />;
