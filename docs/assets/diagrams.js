// The theme loads Mermaid from a public server unless the page has one. This stands in for it until a page has a
// diagram to draw, then loads the copy in vendor/.
(() => {
  const address = new URL("vendor/mermaid-tiny-12.0.0.js", document.currentScript.src);
  let settings, loaded;
  const load = () =>
    (loaded ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = () => {
        window.mermaid.initialize(settings);
        resolve(window.mermaid);
      };
      script.onerror = () => reject(new Error(`cannot load ${address}`));
      document.head.append(script);
    }));
  window.mermaid = {
    initialize: (given) => void (settings = given),
    render: (...diagram) => load().then((mermaid) => mermaid.render(...diagram)),
  };
})();
